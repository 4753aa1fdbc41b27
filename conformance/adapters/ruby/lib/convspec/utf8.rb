# frozen_string_literal: true

module Convspec
  # UTF-8 by RFC 3629 (history.md#encoding): no overlong forms, no encoded surrogates, nothing above U+10FFFF.
  module Utf8
    # Possessive, so that a long text needs no backtracking stack.
    SEQUENCES = /(?:[\x00-\x7F]
                   |[\xC2-\xDF][\x80-\xBF]
                   |\xE0[\xA0-\xBF][\x80-\xBF]
                   |[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}
                   |\xED[\x80-\x9F][\x80-\xBF]
                   |\xF0[\x90-\xBF][\x80-\xBF]{2}
                   |[\xF1-\xF3][\x80-\xBF]{3}
                   |\xF4[\x80-\x8F][\x80-\xBF]{2})*+/nx

    # What may stand at the end of a text that was cut inside a character.
    BEGINNING = /\A(?:[\xC2-\xDF]
                     |\xE0[\xA0-\xBF]?
                     |[\xE1-\xEC\xEE\xEF][\x80-\xBF]?
                     |\xED[\x80-\x9F]?
                     |\xF0(?:[\x90-\xBF][\x80-\xBF]?)?
                     |[\xF1-\xF3][\x80-\xBF]{0,2}
                     |\xF4(?:[\x80-\x8F][\x80-\xBF]?)?)\z/nx

    module_function

    def valid?(bytes)
      bytes.dup.force_encoding(Encoding::UTF_8).valid_encoding?
    end

    # How many bytes at the start are whole characters.
    def sound_length(bytes)
      bytes.b.match(SEQUENCES).end(0)
    end

    def beginning?(bytes)
      BEGINNING.match?(bytes.b)
    end

    # Length in code points; half a surrogate pair counts as one.
    def length(string)
      string.valid_encoding? ? string.length : string.b.count("^\x80-\xBF".b)
    end

    # The bytes of a code point. Half a surrogate is kept as the three bytes that UTF-8 would give it, if it
    # could: such a string is not `valid_encoding?`, and that is how the rest of the program knows it.
    def encode(code_point)
      [code_point].pack("U").b
    end
  end
end
