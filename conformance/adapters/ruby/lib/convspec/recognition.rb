# frozen_string_literal: true

require_relative "strict_json"
require_relative "utf8"

module Convspec
  # What a file is: the table of history.md#recognition.
  module Recognition
    FIRST_KEYS = { "type" => :session, "version" => :history, "messages" => :history }.freeze

    module_function

    def format(source)
      text = source.text.sub(/\A[ \t\n\r]+/n, "")
      return :session if record_line?(text)

      FIRST_KEYS[first_key(text)] || (:history if history?(text)) || by_name(source.name)
    end

    # Line 1: the first line is one JSON object with a member `type` that is a string.
    def record_line?(text)
      value = whole_object(text.byteslice(0, text.index("\n".b) || text.bytesize))
      !value.nil? && value["type"].is_a?(String)
    end

    # Line 4: the whole text is one JSON object with a member `messages`.
    def history?(text)
      return false unless Utf8.valid?(text)

      value = whole_object(text)
      !value.nil? && value.key?("messages")
    end

    # Names are compared as they are written.
    def by_name(name)
      return :session if name.end_with?(".jsonl")

      :history if name.end_with?(".json")
    end

    # Lines 2 and 3. What follows the first key does not matter, so a damaged document is still known.
    def first_key(text)
      opening = text.match(/\A\{[ \t\n\r]*(?=")/n) or return
      key = StrictJson.new(text).read(opening.end(0))
      key.value if key.is_a?(StrictJson::Value)
    end

    # The text as one JSON object without a fatal fault, and nothing but white space behind it; or null.
    def whole_object(text)
      json = StrictJson.new(text)
      value = json.read(0)
      return unless value.is_a?(StrictJson::Value) && value.value.is_a?(Hash)

      value.value if json.finished?(json.skip_white_space(value.finish))
    end
  end
end
