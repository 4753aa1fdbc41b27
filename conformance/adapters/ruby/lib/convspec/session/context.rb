# frozen_string_literal: true

require_relative "summaries"

module Convspec
  class Session
    # The context at an entry of a path: summaries, the newest first, and the messages from `start` on
    # (session.md#compaction, #kept). It goes down a path entry by entry, and can go back.
    class Context
      Message = Struct.new(:role, :id)
      MARK = "compactionSummary"
      NUMBERED = /\Amessage:(0|[1-9][0-9]{0,17})\z/n

      def initialize
        @messages = []
        @places = {}     # of the messages with an id, rising
        @marks = []      # places of messages with role `compactionSummary`
        @start = 0
        @summaries = Summaries.new
      end

      def to_a
        @summaries.to_a + @messages.drop(@start)
      end

      # Takes the entry in. Gives how to undo that, and whether a kept value was looked for and not found.
      def enter(record)
        case record.type
        when "message"
          message = record.message
          return add(restored(record)) if message && message["role"] != "system"
        when "branch_summary" then return add(Message.new("branchSummary", record.id))
        when "compaction"
          return compact(record) if record.message
        end
        [-> {}, false]
      end

      private

      # The id of a message is its `id`, or if that is no string, or empty, the id of its entry.
      def restored(record)
        id = record.message["id"]
        Message.new(record.message["role"], id.is_a?(String) && !id.empty? ? id : record.id)
      end

      def add(message)
        place = @messages.length
        @messages.push(message)
        (@places[message.id] ||= []).push(place)
        @marks.push(place) if message.role == MARK
        undo = lambda do
          @messages.pop
          @places[message.id].pop
          @marks.pop if message.role == MARK
        end
        [undo, false]
      end

      def compact(record)
        summary = restored(record)
        value = Context.kept_value(record.message)
        where, place = value && find(value)
        start = @start
        height = where == :summary ? place + 1 : 0
        @start = where == :message ? place : @messages.length unless where == :summary
        undo_push = @summaries.push(summary, height, summary.role == MARK)
        undo = lambda do
          undo_push.call
          @start = start
        end
        [undo, !value.nil? && where.nil?]
      end

      # From the last message with role `compactionSummary` on; if that finds nothing, in the whole list.
      def find(value)
        find_from_mark(value) || search(value, @summaries.height - 1, @start)
      end

      def find_from_mark(value)
        return search(value, -1, @marks.last) if @marks.any? && @marks.last >= @start

        slot = @summaries.marked
        search(value, slot, @start) if slot
      end

      # The list is the summaries from slot `top` down to 0, and the messages from `from` on. The smallest place
      # counts, whether the id or the number has it.
      def search(value, top, from)
        [by_id(value, top, from), by_number(value, top, from)].compact.min&.then do |place|
          place <= top ? [:summary, top - place] : [:message, from + place - top - 1]
        end
      end

      def by_id(value, top, from)
        slot = @summaries.find(value, top)
        return top - slot if slot

        place = @places[value]&.bsearch { |one| one >= from }
        place - from + top + 1 if place
      end

      def by_number(value, top, from)
        place = value.b[NUMBERED, 1]&.to_i
        place if place && place <= top + @messages.length - from
      end

      class << self
        # `first_kept_entry_id`, or if that is empty `firstKeptEntryId`; null where there is none, or where one of
        # them is neither string nor null.
        def kept_value(message)
          both = message.values_at("first_kept_entry_id", "firstKeptEntryId")
          return unless both.all? { |value| value.nil? || value.is_a?(String) }

          both.find { |value| !value.to_s.empty? }
        end

        def kept_member(message)
          message["first_kept_entry_id"].to_s.empty? ? "firstKeptEntryId" : "first_kept_entry_id"
        end
      end
    end
  end
end
