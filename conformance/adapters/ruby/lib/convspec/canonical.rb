# frozen_string_literal: true

require_relative "number"

module Convspec
  # The JSON Canonicalization Scheme (RFC 8785): keys in the order of their UTF-16 code units, numbers as
  # ECMAScript writes doubles, no white space. The strings are sound UTF-8; the depth is bounded by json-depth.
  module Canonical
    SHORT = { "\b" => "\\b", "\t" => "\\t", "\n" => "\\n", "\f" => "\\f", "\r" => "\\r",
              '"' => '\\"', "\\" => "\\\\" }.freeze

    module_function

    def text(value)
      case value
      when Hash then "{#{in_order(value).map { |key, member| "#{string(key)}:#{text(member)}" }.join(',')}}"
      when Array then "[#{value.map { |item| text(item) }.join(',')}]"
      when String then string(value)
      when Number then number(value)
      when nil then "null"
      when true, false, Integer then value.to_s
      else raise ArgumentError, "no JSON value: #{value.class}"
      end
    end

    def in_order(object)
      object.sort_by { |key, _| key.encode(Encoding::UTF_16BE).unpack("n*") }
    end

    def string(value)
      "\"#{value.gsub(/["\\\u0000-\u001F]/) { |letter| SHORT[letter] || format('\\u%04x', letter.ord) }}\""
    end

    # An integer beyond the range of doubles is equal to itself alone, and so stays as it is
    # (history.md#equality); a text that holds one is no canonical form.
    def number(value)
      double = value.to_double
      return value.text if double.infinite?
      return "0" if double.zero?

      (double.negative? ? "-" : "") + place_point(*digits(double.abs))
    end

    # The shortest digits that give this double, without zeros at either end, and where the point stands in them.
    def digits(double)
      mantissa, exponent = double.to_s.split("e")
      whole, fraction = mantissa.split(".")
      all = (whole + fraction).sub(/\A0+/, "")
      point = whole.length - (whole.length + fraction.length - all.length) + exponent.to_i
      [all.sub(/0+\z/, ""), point]
    end

    def place_point(digits, point)
      if point.between?(digits.length, 21) then digits.ljust(point, "0")
      elsif point.between?(1, 21) then digits.dup.insert(point, ".")
      elsif point.between?(-5, 0) then "0.#{'0' * -point}#{digits}"
      else
        exponent = format("e%+d", point - 1)
        digits.length == 1 ? digits + exponent : digits.dup.insert(1, ".") + exponent
      end
    end

    # Whether a number in the value is beyond the range of doubles, so that it has no canonical form.
    def beyond?(value)
      case value
      when Hash then value.each_value.any? { |member| beyond?(member) }
      when Array then value.any? { |item| beyond?(item) }
      when Number then !value.to_double.finite?
      else false
      end
    end
  end
end
