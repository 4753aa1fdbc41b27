# frozen_string_literal: true

module Convspec
  # A JSON number as it was written (history.md#numbers). Ruby's own numbers would lose how it was spelled,
  # and a very long integer takes long to convert.
  class Number
    # The smallest magnitude that rounds to infinity: halfway between the largest double and 2**1024.
    INFINITE = ((1 << 1024) - (1 << 970)).to_s.freeze

    attr_reader :text

    def initialize(text)
      @text = text
      @plain = !text.match?(/[.eE]/)
    end

    # Written without fraction and exponent?
    def plain?
      @plain
    end

    # "A number equal to an integer is an integer": `3.0` and `3e0` are (history.md#tokens).
    def integer?
      @plain || (to_double % 1).zero?
    end

    # Numbers are compared as doubles (D_version_equality).
    def below?(limit)
      short? ? to_double < limit : @text.start_with?("-")
    end

    def equal_to?(integer)
      short? && to_double == integer
    end

    def to_double
      @to_double ||= @text.to_f
    end

    # Numbers with a fraction or an exponent that round to infinity are no JSON here. Decided on the digits, for
    # not every conversion reads all of them.
    def finite?
      return true if @plain

      match = /\A-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\z/.match(@text)
      digits = match[1] + match[2].to_s
      significant = digits.sub(/\A0+/, "")
      return true if significant.empty?

      exponent = match[3].to_s
      sign = exponent.start_with?("-") ? -1 : 1
      size = exponent.delete("+-").sub(/\A0+/, "")
      return sign.negative? if size.length > 18 # no file is long enough to make up for such an exponent

      # The number is 0.<significant> times ten to the power of `point`.
      point = match[1].length - (digits.length - significant.length) + sign * size.to_i
      return point < INFINITE.length if point != INFINITE.length

      (significant <=> INFINITE).negative?
    end

    private

    # A plain integer of more than 300 digits is larger than any limit asked about, and may be no double at all.
    def short?
      !@plain || @text.length < 300
    end
  end
end
