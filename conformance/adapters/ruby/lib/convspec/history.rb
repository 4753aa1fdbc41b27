# frozen_string_literal: true

require_relative "finding"
require_relative "history/attachments"
require_relative "history/pairing"
require_relative "history/tally"
require_relative "history/value"
require_relative "strict_json"
require_relative "utf8"

module Convspec
  # One history, judged in the layers of history.md#layers.
  class History
    FILE = "history/1.0/history.schema.json"

    # A finding that ends the check.
    class End < StandardError; end

    def initialize(source, schema)
      @source = source
      @schema = schema
      @findings = []
    end

    def report
      tell("encoding-bom") if @source.marked?
      document = read_document
      judge(document)
      reading = { tally: Tally.count(document, @findings, @contents) }
      value = Value.new(document, @contents) if @findings.empty?
      reading.merge!(value.reading) if value
      Report.new(format: :history, findings: @findings, reading: reading, value: value)
    rescue End
      tally = Tally::NOTHING unless @findings.any? { |finding| finding.rule == "version-newer" }
      Report.new(format: :history, findings: @findings, reading: tally && { tally: tally })
    end

    private

    def tell(rule, pointer = nil, member = nil)
      @findings.push(Finding.new(rule: rule, pointer: pointer, member: member))
    end

    def finish(rule, pointer = nil)
      tell(rule, pointer)
      raise End
    end

    # The json layer: history.md#json to #strings.
    def read_document
      json = StrictJson.new(@source.text)
      read = json.read(json.skip_white_space(0))
      finish_fatal(read) if read.is_a?(StrictJson::Failure)
      finish("encoding-utf8") unless Utf8.valid?(@source.text)
      tell("json-trailing-data") unless json.finished?(json.skip_white_space(read.finish))
      read.faults.each { |fault| tell(fault.rule, fault.pointer) }
      finish("schema-type", "") unless read.value.is_a?(Hash)
      read.value
    end

    # Exactly one finding for all fatal faults: bytes that are not UTF-8 before everything else, wherever they are,
    # unless the file was cut inside a character (history.md#encoding).
    def finish_fatal(failure)
      finish("json-truncated") if failure.kind == :cut_character
      finish("encoding-utf8") unless Utf8.valid?(@source.text)
      finish({ truncated: "json-truncated", depth: "json-depth", non_finite: "json-non-finite" }
             .fetch(failure.kind, "json-syntax"))
    end

    def judge(document)
      judge_version(document)
      schema = @schema.findings(FILE, document)
      tell_schema(schema)
      messages = document["messages"]
      messages = [] unless messages.is_a?(Array)
      Pairing.new(messages, schema).each_error { |rule, pointer| tell(rule, pointer) }
      attachments = Attachments.new(messages, schema, @source.folder)
      attachments.each_error { |rule, pointer| tell(rule, pointer) }
      @contents = attachments.contents
    end

    # versioning.md#version
    def judge_version(document)
      return tell("version-missing", "", "version") unless document.key?("version")

      version = document["version"]
      return tell("version-missing", "/version") if version.nil?

      sound = version.is_a?(Number) && version.integer? && !version.below?(1)
      return tell("version-invalid", "/version") unless sound

      finish("version-newer", "/version") unless version.equal_to?(1)
    end

    # A missing or wrong `version` is never a schema finding (history.md#layers).
    def tell_schema(schema)
      schema.places.each_key { |pointer| tell(schema.rule(pointer), pointer) unless pointer == "/version" }
      schema.missing.each do |pointer, member|
        tell("schema-required", pointer, member) unless pointer.empty? && member == "version"
      end
    end
  end
end
