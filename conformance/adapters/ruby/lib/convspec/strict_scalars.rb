# frozen_string_literal: true

module Convspec
  # The scalar values of StrictJson: strings with their escapes, numbers, and the three words.
  module StrictScalars
    SIMPLE_STRING = /"([^"\\\x00-\x1F\x80-\xFF]*)"/n
    STRING_PART = /[^"\\\x00-\x1F]+/n
    NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/n
    NON_FINITE = /-?Infinity|NaN/n
    FOUR_DIGITS = /[0-9a-fA-F]{4}/n
    LOW_HALF = /\\u([dD][c-fC-F][0-9a-fA-F]{2})/n
    ESCAPES = {
      '"' => '"', "\\" => "\\", "/" => "/", "b" => "\b", "f" => "\f", "n" => "\n", "r" => "\r", "t" => "\t"
    }.freeze
    WORDS = { "t" => ["true", true], "f" => ["false", false], "n" => ["null", nil] }.freeze

    private

    # Reads the string at the scanner. Yields once if it holds half a surrogate pair.
    def string
      return @scanner[1].force_encoding(Encoding::UTF_8) if @scanner.skip(SIMPLE_STRING)

      @scanner.pos += 1
      parts = String.new(encoding: Encoding::BINARY)
      half = false
      until peek == '"'
        if @scanner.scan(STRING_PART)
          parts << sound_part(@scanner.matched)
        elsif peek == "\\"
          half |= escape(parts)
        else
          fail_at(:syntax) # a raw control character, or the end
        end
      end
      @scanner.pos += 1
      yield if half
      parts.force_encoding(Encoding::UTF_8)
    end

    # A value fails at the first byte of a sequence that is not UTF-8 (session.md#encoding). A character that is
    # cut off by the end of the text is another matter.
    def sound_part(part)
      return part if Utf8.valid?(part)

      sound = Utf8.sound_length(part)
      place = @scanner.pos - part.bytesize + sound
      cut = finished?(@scanner.pos) && Utf8.beginning?(part.byteslice(sound..))
      fail_at(cut ? :cut_character : :utf8, place)
    end

    # Appends what the escape stands for. Gives true for half a surrogate pair.
    def escape(parts)
      @scanner.pos += 1
      letter = peek
      if letter == "u"
        @scanner.pos += 1
        return escaped_code_point(parts)
      end
      parts << ESCAPES.fetch(letter) { fail_in_escape }
      @scanner.pos += 1
      false
    end

    def escaped_code_point(parts)
      unless @scanner.skip(FOUR_DIGITS)
        @scanner.skip(/[0-9a-fA-F]*/n)
        fail_in_escape
      end
      code = @scanner.matched.hex
      if code.between?(0xD800, 0xDBFF) && @scanner.skip(LOW_HALF)
        code = 0x10000 + ((code - 0xD800) << 10) + (@scanner[1].hex - 0xDC00)
      end
      parts << Utf8.encode(code)
      code.between?(0xD800, 0xDFFF)
    end

    # The text before a character that is cut off may end in the middle of an escape: that is inside a string too.
    def fail_in_escape
      cut = @scanner.rest_size < 4 && Utf8.beginning?(@scanner.rest)
      fail_at(cut ? :cut_character : :syntax)
    end

    def scalar
      letter = peek
      return word(*WORDS[letter]) if WORDS.key?(letter)
      # "Where a value is expected they are json-non-finite"; cut off, they are json-syntax.
      fail_at(:non_finite) if @scanner.match?(NON_FINITE)
      fail_at(:syntax) unless letter.match?(/[-0-9]/n)

      number
    end

    # The failure is at the first byte that is another one than the word has there.
    def word(word, value)
      word.each_char do |letter|
        fail_at(:syntax) unless peek == letter
        @scanner.pos += 1
      end
      value
    end

    def number
      start = @scanner.pos
      unless @scanner.skip(NUMBER)
        @scanner.pos += 1 # the minus sign can stand; what is behind it cannot
        fail_at(:syntax)
      end
      number = Number.new(@scanner.matched)
      fail_at(:non_finite, start) unless number.finite?
      fail_behind_beginning(number)
      number
    end

    # `1.` and `1e+` are beginnings of a number: what fails is what stands behind them. The pattern took only
    # the sound number before them.
    def fail_behind_beginning(number)
      beginning = number.text.match?(/[eE]/) ? nil : number_goes_on(number)
      return unless beginning

      @scanner.pos += beginning
      fail_at(:syntax)
    end

    def number_goes_on(number)
      return @scanner.match?(/[eE][+-]?/n) unless number.plain?

      @scanner.match?(/\.|[eE][+-]?/n)
    end
  end
end
