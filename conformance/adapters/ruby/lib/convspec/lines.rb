# frozen_string_literal: true

require_relative "finding"
require_relative "splice"
require_relative "utf8"

module Convspec
  # The framing of a session log (session.md#lines to #nul): which values it yields, where something was lost, and
  # what is to be said about the lines.
  class Lines
    # A value that is kept. `record` counts the values of its line, and is null where there is only one.
    Item = Struct.new(:value, :faults, :line, :record)

    # What one line, or one piece of a line with NUL bytes, gave: values and gaps in their order.
    Framed = Struct.new(:parts, :rule)

    GAP = :gap
    BLANK = /\A[ \t\r\n]*+\z/n
    FAILURES = { depth: "json-depth", non_finite: "json-non-finite" }.freeze

    # Items and gaps in the order of the file; the errors of the framing; and how many lines gave something up.
    attr_reader :items, :findings, :lost_lines

    def initialize(text)
      @items = []
      @findings = []
      @lost_lines = 0
      text.each_line("\n").with_index(1) { |line, number| read_line(line, number) }
    end

    private

    def read_line(line, number)
      ended = line.end_with?("\n")
      body = ended ? line.byteslice(0, line.bytesize - 1) : line
      if body.include?("\0")
        read_damaged(body, number)
      elsif !BLANK.match?(body)
        framed = frame(body, ended)
        tell(framed.rule, number) if framed.rule
        keep(framed.parts, number)
      end
    end

    def tell(rule, line, pointer = nil, record = nil)
      @findings.push(Finding.new(rule: rule, line: line, pointer: pointer, record: record))
    end

    # Steps 3 to 6.
    def frame(body, ended)
      splice = Splice.new(body)
      read = splice.read_on(0)
      return Framed.new(read.values, (read.values.length > 1 ? "line-glued" : nil)) unless read.failure

      behind = splice.search(read.failure)
      return Framed.new([*read.values, GAP, *behind], "line-spliced") if behind

      Framed.new([*read.values, GAP], failure_rule(read.failure, body, ended))
    end

    # Step 6: the first that holds.
    def failure_rule(failure, body, ended)
      return "line-torn" if !ended && %i[truncated cut_character].include?(failure.kind)
      return "encoding-utf8" unless Utf8.valid?(body.byteslice(failure.start..))

      FAILURES.fetch(failure.kind, "json-syntax")
    end

    # session.md#nul: each piece is read as a line of its own that has its line feed. What is wrong with the pieces
    # belongs to the damage, and so does a value that is no object.
    def read_damaged(body, number)
      tell("line-nul", number)
      parts = body.scan(/\0+|[^\0]+/n).flat_map do |piece|
        next [GAP] if piece.start_with?("\0")

        BLANK.match?(piece) ? [] : frame(piece, true).parts
      end
      keep(parts.select { |part| part == GAP || part.value.is_a?(Hash) }, number)
    end

    def keep(parts, number)
      @lost_lines += 1 if parts.include?(GAP)
      several = parts.count { |part| part != GAP } > 1
      record = 0
      parts.each do |part|
        next @items.push(GAP) if part == GAP

        record += 1
        item = Item.new(part.value, part.faults, number, several ? record : nil)
        tell("line-not-object", number, "", item.record) unless part.value.is_a?(Hash)
        @items.push(item)
      end
    end
  end
end
