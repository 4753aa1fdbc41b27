# frozen_string_literal: true

require_relative "../canonical"

module Convspec
  class History
    # What a valid document says (history.md#equality, #canonical): of each object the members in its table that
    # have not their default.
    class Value
      SCALARS = %w[id role content tool_call_id model_id].freeze
      TOKENS = %w[input output cached cache_creation thinking].freeze
      INTERRUPTED = "[Tool execution was interrupted]"
      MADE_UP = "*"

      # The messages as the canonical form has them; and digest and size of all attachments, in order.
      attr_reader :messages, :attachments

      # `contents` are those of the attachments, by pointer.
      def initialize(document, contents)
        @attachments = contents.values
        @messages = document["messages"].each_with_index.map { |message, i| message(message, i, contents) }
      end

      def ==(other)
        text == other.text
      end

      # Equal histories, and only those, have equal texts.
      def text
        Canonical.text({ "version" => 1, "messages" => @messages })
      end

      # The canonical form, or null where the history has none.
      def canonical
        text unless Canonical.beyond?(@messages)
      end

      # What a reader makes of the document, under the names of the conformance cases.
      def reading
        ids = @messages.map { |message| { role: message["role"], id: message["id"] } }
        reading = { messages: ids, attachments: @attachments.map(&:to_h) }
        form = canonical
        form ? reading.merge(canonical: form) : reading
      end

      # history.md#repair: behind the run of a message with calls, an answer to each that the run does not name.
      def repaired
        @messages.slice_when { |_, after| after["role"] != "tool" || after.key?("tool_calls") }.flat_map do |first, *run|
          named = run.map { |result| result["tool_call_id"] }
          hanging = (first["tool_calls"] || []).map { |call| call["id"] } - named
          [first, *run, *hanging.map { |id| made_up(id) }]
        end
      end

      private

      def made_up(call_id)
        { "id" => MADE_UP, "role" => "tool", "content" => INTERRUPTED, "tool_call_id" => call_id }
      end

      def message(message, index, contents)
        value = SCALARS.to_h { |member| [member, message[member]] }
        value["kind"] = message["kind"] unless message["kind"] == "user"
        value["attachments"] = filled(message["attachments"]) do |attachment, j|
          content = contents.fetch("/messages/#{index}/attachments/#{j}")
          attachment.slice("mime", "filename").merge("sha256" => content.sha256, "size" => content.size)
        end
        value["tool_calls"] = filled(message["tool_calls"]) { |call, _| call.slice("id", "name", "arguments") }
        value["thinking"] = message["thinking"]&.slice("text", "signature")&.compact
        tokens = message["tokens"]&.slice(*TOKENS)&.compact
        value["tokens"] = tokens unless tokens && tokens.empty?
        value.compact
      end

      # The items of a list, or null where it has none.
      def filled(list, &block)
        list.each_with_index.map(&block) unless list.nil? || list.empty?
      end
    end
  end
end
