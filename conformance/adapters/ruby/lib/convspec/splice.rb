# frozen_string_literal: true

require_relative "strict_json"

module Convspec
  # Reading on from a place in a line, and the search for a record behind a fragment (session.md#lines, #spliced).
  # The names *start*, *failure* and *place* are those of the clause.
  class Splice

    # What reading on gave: the values before the end of the line, or before the one that failed.
    ReadOn = Struct.new(:values, :failure)

    def initialize(text)
      @text = text
      @json = StrictJson.new(text)
    end

    def read_on(place)
      values = []
      loop do
        place = @json.skip_white_space(place)
        return ReadOn.new(values, nil) if @json.finished?(place)

        value = @json.read(place)
        return ReadOn.new(values, value) if value.is_a?(StrictJson::Failure)

        values.push(value)
        place = value.finish
      end
    end

    # The values from the splice to the end of the line, or null where there is no splice.
    def search(first)
      failure = first
      place = near_place(failure, first) || next_place(failure)
      while place
        read = read_on(place)
        return kept(read.values) unless read.failure

        if read.failure.at > failure.at
          failure = read.failure
          place = near_place(failure, first) || next_place(failure)
        else
          place = next_place(failure)
        end
      end
    end

    private

    # Places 1 and 2 of the list.
    def near_place(failure, first)
      closed_just_before(failure) || opening_before(failure.at, first) || opening_before(failure.start, first)
    end

    # Place 3: the first `{` at the failure or behind it.
    def next_place(failure)
      @text.index("{".b, failure.at)
    end

    # Place 1: the object inside the failed value that closed last, if only white space follows it.
    def closed_just_before(failure)
      inner = failure.inner
      inner.start if inner && @json.skip_white_space(inner.finish) >= failure.at
    end

    # Place 2. It is looked for byte by byte from the right, so that what is far to the left costs nothing.
    def opening_before(place, first)
      place = skip_back(place)
      place = skip_back(place - 1) if place.positive? && @text.getbyte(place - 1) == 0x22
      place -= 1
      place if place > first.start && @text.getbyte(place) == 0x7B
    end

    def skip_back(place)
      place -= 1 while place.positive? && [0x20, 0x09, 0x0D, 0x0A].include?(@text.getbyte(place - 1))
      place
    end

    # Step 4: from the first value that is an object whose `type` and `timestamp` are strings.
    def kept(values)
      index = values.index do |value|
        object = value.value
        object.is_a?(Hash) && object["type"].is_a?(String) && object["timestamp"].is_a?(String)
      end
      index && values.drop(index)
    end
  end
end
