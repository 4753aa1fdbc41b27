# frozen_string_literal: true

require_relative "finding"
require_relative "lines"
require_relative "session/compactions"
require_relative "session/log"
require_relative "session/reading"
require_relative "session/shapes"
require_relative "session/tree"

module Convspec
  # One session log, judged in the layers of session.md#layers.
  class Session
    # An empty file is read as a log without records (session.md, section 7).
    def self.empty_reading(source)
      Reading.new(Log.new(Lines.new("".b)), source.name).to_h
    end

    def initialize(source, schema)
      @source = source
      @schema = schema
      @findings = []
    end

    def report
      lines = Lines.new(@source.text)
      judge_bytes(lines)
      @log = Log.new(lines)
      @shapes = Shapes.new(@log, @schema)
      if @log.newer?
        # Beside it stand only findings of the bytes and json layers (session.md#version).
        @shapes.judge_version { |*error| tell(*error) }
        return Report.new(format: :session, findings: @findings)
      end
      judge
      Report.new(format: :session, findings: @findings, reading: Reading.new(@log, @source.name).to_h)
    end

    private

    def tell(rule, line, number, pointer, member = nil)
      @findings.push(Finding.new(rule: rule, line: line, record: number, pointer: pointer, member: member))
    end

    def judge_bytes(lines)
      tell("encoding-bom", 1, nil, nil) if @source.marked?
      @findings.concat(lines.findings)
      lines.items.each do |item|
        next if item == Lines::GAP

        item.faults.each { |fault| tell(fault.rule, item.line, item.record, fault.pointer) }
      end
    end

    def judge
      @shapes.each_error { |*error| tell(*error) }
      tell("header-missing", nil, nil, nil) if Header.new(@log, @source.name).missing?
      tree = Tree.new(@log) if @log.tree?
      # The rules of section 3 are not judged in version 1 (session.md#version-1).
      tree&.each_error { |rule, record, pointer| tell_of(rule, record, pointer) }
      Compactions.new(@log, tree).each_error { |rule, record, pointer| tell_of(rule, record, pointer) }
    end

    def tell_of(rule, record, pointer)
      tell(rule, record.line, record.number, pointer)
    end
  end
end
