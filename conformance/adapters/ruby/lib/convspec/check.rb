# frozen_string_literal: true

require_relative "finding"
require_relative "history"
require_relative "recognition"
require_relative "schema"
require_relative "session"
require_relative "source"

module Convspec
  # Judges files: the bytes layer that both formats share, and then the format's own.
  class Check
    def initialize(schema = Schema.new)
      @schema = schema
    end

    def call(path)
      source = Source.open(path)
      return empty(source) if source.empty?

      case Recognition.format(source)
      when :session then Session.new(source, @schema).report
      when :history then History.new(source, @schema).report
      else Report.new(findings: [Finding.new(rule: "format-unrecognised")])
      end
    rescue Source::Unreadable
      Report.new(findings: [Finding.new(rule: "file-unreadable")])
    end

    private

    # history.md#empty: before it is asked what the file is. Only the name says which format's zeros to count.
    def empty(source)
      format = Recognition.by_name(source.name)
      findings = [Finding.new(rule: "file-empty")]
      findings.unshift(Finding.new(rule: "encoding-bom", line: (1 if format == :session))) if source.marked?
      Report.new(format: format, findings: findings, reading: empty_reading(format, source))
    end

    def empty_reading(format, source)
      case format
      when :session then Session.empty_reading(source)
      when :history then { tally: History::Tally::NOTHING }
      end
    end
  end
end
