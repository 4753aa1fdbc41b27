# frozen_string_literal: true

require "strscan"
require_relative "number"
require_relative "pointer"
require_relative "strict_scalars"
require_relative "utf8"

module Convspec
  # One JSON value, read strictly (history.md#json to #strings, D_json_strictness). It works on bytes, knows where
  # a value fails, and does not recurse. The values are Hash, Array, String, Number, true, false and nil.
  class StrictJson
    include StrictScalars

    DEPTH = 100
    WHITE_SPACE = /[ \t\n\r]+/n

    # A complete value from `start` to `finish`, with the faults that leave it standing.
    Value = Struct.new(:value, :start, :finish, :faults)

    # A value that failed. `kind` is :syntax, :truncated, :cut_character, :utf8, :depth or :non_finite; `at` is
    # the place of the failure. `inner` is the object inside it that closed last, if one did.
    Failure = Struct.new(:kind, :start, :at, :inner)

    # A fault that leaves the value standing: a rule and a pointer.
    Fault = Struct.new(:rule, :pointer)

    # An object or array that is open: where it begins, the key or index at work, and the keys told as duplicate.
    Level = Struct.new(:container, :start, :step, :told)

    # From the first to behind the last byte of an object.
    Span = Struct.new(:start, :finish)

    def initialize(text)
      @text = text
      @scanner = StringScanner.new(text)
    end

    # The place behind the white space at `place`.
    def skip_white_space(place)
      @scanner.pos = place
      @scanner.skip(WHITE_SPACE)
      @scanner.pos
    end

    def finished?(place)
      place >= @text.bytesize
    end

    # Reads the value that begins at `start`, where no white space stands. Gives a Value or a Failure.
    def read(start)
      @scanner.pos = start
      @start = start
      @levels = []
      @faults = []
      @inner = nil
      catch(:failed) { Value.new(value, start, @scanner.pos, @faults) }
    end

    private

    # One turn of the loop reads a scalar or opens a container; `settle` puts what is complete into what is open.
    def value
      loop do
        @scanner.skip(WHITE_SPACE)
        complete, value = begin_value
        return value if complete && settle(value) { |outermost| value = outermost }
      end
    end

    # Gives true and the value where it is complete, false where a container was opened.
    def begin_value
      case peek
      when "{" then open_container({})
      when "[" then open_container([])
      when '"' then [true, string { tell_surrogate(@levels.length) }]
      else [true, scalar]
      end
    end

    def open_container(container)
      fail_at(:depth) if @levels.length >= DEPTH
      @levels.push(Level.new(container, @scanner.pos))
      @scanner.pos += 1
      @scanner.skip(WHITE_SPACE)
      closing = container.is_a?(Hash) ? "}" : "]"
      return [true, close_container] if peek == closing

      next_step
      [false, nil]
    end

    def close_container
      level = @levels.pop
      @scanner.pos += 1
      @inner = Span.new(level.start, @scanner.pos) if level.container.is_a?(Hash)
      level.container
    end

    # Puts a complete value where it belongs, and closes what is complete by that. Yields the outermost value and
    # gives true where nothing is open any more; gives false where a further value is to be read.
    def settle(value)
      until @levels.empty?
        level = @levels.last
        level.container.is_a?(Hash) ? level.container[level.step] = value : level.container.push(value)
        @scanner.skip(WHITE_SPACE)
        case peek
        when ","
          @scanner.pos += 1
          next_step
          return false
        when level.container.is_a?(Hash) ? "}" : "]" then value = close_container
        else fail_at(:syntax)
        end
      end
      yield value
      true
    end

    # The next index of an array, or the next key of an object and its colon.
    def next_step
      level = @levels.last
      return level.step = level.container.length if level.container.is_a?(Array)

      @scanner.skip(WHITE_SPACE)
      fail_at(:syntax) unless peek == '"'
      level.step = string { tell_surrogate(@levels.length - 1) }
      tell_duplicate(level) if level.container.key?(level.step)
      @scanner.skip(WHITE_SPACE)
      fail_at(:syntax) unless peek == ":"
      @scanner.pos += 1
    end

    # Once per object and key, at the member (history.md#duplicate-keys).
    def tell_duplicate(level)
      level.told ||= {}
      return if level.told[level.step]

      level.told[level.step] = true
      @faults.push(Fault.new("json-duplicate-key", pointer(@levels.length)))
    end

    # At the value, or, for a key, at the object that has it (history.md#strings).
    def tell_surrogate(depth)
      @faults.push(Fault.new("text-surrogate", pointer(depth)))
    end

    def pointer(depth)
      Pointer.build(@levels.first(depth).map(&:step))
    end

    def peek
      @scanner.peek(1)
    end

    # At the end of the text more is needed, and the value is a proper beginning of JSON.
    def fail_at(kind, place = @scanner.pos)
      kind = :truncated if kind == :syntax && finished?(place)
      throw :failed, Failure.new(kind, @start, place, @inner)
    end
  end
end
