# frozen_string_literal: true

require "digest"
require_relative "context"
require_relative "header"

module Convspec
  class Session
    # What a reader makes of a log, valid or not (session.md, section 7).
    class Reading
      RUNTIME = %i[provider model reasoningEffort].freeze
      WHITE_SPACE_ONLY = /\A[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]*+\z/

      def initialize(log, file_name)
        @log = log
        @header = Header.new(log, file_name)
        @last = log.tree_records.each_with_object({}) { |record, last| last[record.id] = record if record.id }
      end

      def to_h
        tree = @log.tree? ? { leaf: leaf, branch: branch.reverse } : {}
        tree.merge(
          header: @header.reading, messages: messages.map(&:to_h), name: name, runtime: runtime, labels: labels,
          memory: memory, system_prompt: system_prompt, tally: tally
        )
      end

      private

      # session.md#reading-leaf
      def leaf
        @leaf ||= @log.records.reverse_each.find { |record| record.type == "leaf" || (record.tree? && record.id) }
        return if @leaf.nil?

        @leaf.tree? ? @leaf.id : reference(@leaf.value["targetId"])
      end

      # An id, or null where it is empty or of the wrong type.
      def reference(value)
        id = Record.reference(value)
        id unless id == :cut
      end

      # session.md#reading-branch, the leaf first.
      def branch
        @branch ||= begin
          found = {}
          id = leaf
          while id && @last.key?(id) && !found.key?(id)
            found[id] = true
            parent = @last[id].parent
            id = parent unless parent == :cut
            id = nil if parent == :cut
          end
          found.keys
        end
      end

      # The records of the active branch; in version 1 all tree records.
      def path
        @log.tree? ? branch.reverse.map { |id| @last[id] } : @log.tree_records
      end

      def messages
        @messages ||= begin
          context = Context.new
          path.each { |record| context.enter(record) }
          context.to_a
        end
      end

      def name
        filled(@log.of_type("session_info").last&.string("name"))
      end

      def runtime
        sources = [*@log.header, *@log.of_type("session_info")]
        RUNTIME.to_h do |member|
          last = sources.reverse_each.find { |record| record.value.key?(member.to_s) }
          [member, filled(last&.string(member.to_s))]
        end
      end

      def labels
        @log.of_type("label").each_with_object({}) do |record, labels|
          target = reference(record.value["targetId"]) or next
          label = record.string("label")
          blank?(label) ? labels.delete(target) : labels[target] = label
        end
      end

      # Half a surrogate pair is no white space.
      def blank?(text)
        text.nil? || (text.valid_encoding? && WHITE_SPACE_ONLY.match?(text))
      end

      def memory
        last = @log.of_type("memory_state").last&.value || {}
        memories, retrieval = last.values_at("sessionMemories", "lastRetrieval")
        {
          sessionMemories: memories.is_a?(Array) ? memories : [],
          lastRetrieval: retrieval.is_a?(Hash) ? retrieval : nil
        }
      end

      def system_prompt
        content = @log.of_type("system_prompt").last&.string("content")
        "sha256:#{Digest::SHA256.hexdigest(content)}" if content&.valid_encoding?
      end

      # session.md#tally
      def tally
        {
          records: @log.records.length, entries: @log.tree? ? @last.length : @log.tree_records.length,
          branch: path.length, messages: messages.length, skipped: @log.skipped
        }
      end

      def filled(text)
        text == "" ? nil : text
      end
    end
  end
end
