# frozen_string_literal: true

require "digest"
require_relative "record"

module Convspec
  class Session
    # The errors that concern one record alone: those of the schema layer, the version, the header and the system
    # prompt.
    class Shapes
      def initialize(log, schema)
        @log = log
        @schema = schema
        # The shape of the records of a mixed log is judged as in version 1 (session.md#mixed).
        @folder = "session/#{log.version}.0"
      end

      def each_error(&tell)
        judge_typeless(&tell)
        judge_version(&tell)
        @log.records.select(&:known?).each { |record| judge_shape(record, &tell) }
        @log.of_type("system_prompt").each { |record| judge_digest(record, &tell) }
      end

      # session.md#record: nothing else of such an object is judged.
      def judge_typeless
        @log.objects_without_type.each do |item|
          if item.value.key?("type")
            yield "schema-type", item.line, item.record, "/type"
          else
            yield "schema-required", item.line, item.record, "", "type"
          end
        end
      end

      # session.md#version: given only if the id of the header in force is a non-empty string.
      def judge_version(&tell)
        header = @log.header
        return if header.nil? || header.string("id").to_s.empty?

        rule, pointer, member = version_error(header.value)
        tell.call(rule, header.line, header.number, pointer, member) if rule
      end

      private

      def version_error(value)
        return ["version-missing", "", "version"] unless value.key?("version")

        version = value["version"]
        return ["version-missing", "/version"] if version.nil?
        return ["version-newer", "/version"] if @log.newer?

        ["version-invalid", "/version"] unless version.is_a?(Number) && version.integer? && !version.below?(1)
      end

      # `version` is never a schema finding, nor is the value of `type` (session.md#layers).
      def judge_shape(record)
        findings = @schema.findings("#{@folder}/#{record.type.tr('_', '-')}.schema.json", record.value)
        record.schema = findings
        findings.places.each_key do |pointer|
          next if record.type == "session" && pointer == "/version"

          yield findings.rule(pointer), record.line, record.number, pointer
        end
        findings.missing.each do |pointer, member|
          next if record.type == "session" && pointer.empty? && member == "version"

          yield "schema-required", record.line, record.number, pointer, member
        end
      end

      # session.md#system-prompt. Half a surrogate pair has no bytes in UTF-8.
      def judge_digest(record)
        return unless record.sound?("hash") && record.sound?("content")

        content = record.value["content"]
        return if !content.valid_encoding? || record.value["hash"] == "sha256:#{Digest::SHA256.hexdigest(content)}"

        yield "system-prompt-digest", record.line, record.number, "/hash"
      end
    end
  end
end
