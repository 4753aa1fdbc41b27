# frozen_string_literal: true

module Convspec
  class History
    # The errors of the document layer: ids used twice, and results that answer no call (history.md#pairing).
    class Pairing
      # What of a call's schema findings takes its id away (history.md#gaps).
      LOST_LIST = %w[schema-type schema-max-items].freeze

      def initialize(messages, schema)
        @messages = messages
        @schema = schema
        @ids = {}
        @open = {}
        @gap = false
      end

      def each_error(&tell)
        @messages.each_with_index do |message, i|
          next @gap = true unless message.is_a?(Hash)

          judge_id(message, "/messages/#{i}", &tell)
          judge_calls(message, "/messages/#{i}", &tell)
        end
      end

      private

      # history.md#message-ids
      def judge_id(message, place)
        return if !message.key?("id") || @schema.at?("#{place}/id")

        yield "message-id-duplicate", "#{place}/id" if @ids[message["id"]]
        @ids[message["id"]] = true
      end

      def judge_calls(message, place, &tell)
        ids, lost = call_ids(message, place, &tell)
        if ids.empty?
          judge_result(message, place, &tell)
        else
          ids.each_key { |id| @open[id] = true }
        end
        @gap ||= lost # no *later* result
      end

      # Only the calls that can be read (history.md#gaps), and whether one cannot be.
      def call_ids(message, place)
        return [{}, true] if LOST_LIST.include?(@schema.rule("#{place}/tool_calls"))

        ids = {}
        lost = false
        (message["tool_calls"] || []).each_with_index do |call, j|
          pointer = "#{place}/tool_calls/#{j}"
          next lost = true unless call.is_a?(Hash) && call.key?("id") && !@schema.at?("#{pointer}/id")

          yield "tool-call-id-duplicate", "#{pointer}/id" if ids[call["id"]]
          ids[call["id"]] = true
        end
        [ids, lost]
      end

      # Counts and runs matter to warnings alone, so `open` holds no more than ids.
      def judge_result(message, place)
        return unless message["role"] == "tool" && message.key?("tool_call_id")
        return if @gap || @schema.at?("#{place}/tool_call_id") || @open[message["tool_call_id"]]

        yield "tool-result-unmatched", "#{place}/tool_call_id"
      end
    end
  end
end
