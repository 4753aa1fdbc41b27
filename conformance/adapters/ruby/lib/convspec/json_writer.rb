# frozen_string_literal: true

require_relative "number"

module Convspec
  # Writes the values of StrictJson, and Ruby's own, as JSON on one line. Half a surrogate pair goes out as the
  # escape it came in as. The depth is bounded by json-depth, so this may recurse.
  module JsonWriter
    # JSON text that goes out as it is.
    Verbatim = Struct.new(:text)

    ESCAPED = /["\\\x00-\x1F]|\xED[\xA0-\xBF][\x80-\xBF]/n

    module_function

    def dump(value)
      case value
      when Hash then "{#{value.map { |key, member| "#{string(key.to_s)}:#{dump(member)}" }.join(',')}}"
      when Array then "[#{value.map { |item| dump(item) }.join(',')}]"
      when String, Symbol then string(value.to_s)
      when Number, Verbatim then value.text
      when nil then "null"
      when true, false, Integer then value.to_s
      else raise ArgumentError, "no JSON value: #{value.class}"
      end
    end

    def string(value)
      "\"#{value.b.gsub(ESCAPED) { |part| escape(part) }}\"".b
    end

    def escape(part)
      return "\\#{part}" if part == '"' || part == "\\"
      return format("\\u%04x", part.ord) if part.bytesize == 1

      lead, middle, last = part.bytes
      format("\\u%04x", ((lead & 0x0F) << 12) | ((middle & 0x3F) << 6) | (last & 0x3F))
    end
  end
end
