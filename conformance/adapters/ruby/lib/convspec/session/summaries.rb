# frozen_string_literal: true

module Convspec
  class Session
    # The summaries of a context, the newest last. They stand in one array with a height. What is pushed may
    # overwrite a slot, and gives back how to undo that: to copy the summaries for each branch would take
    # quadratic time (session.md#compaction).
    class Summaries
      # `marked` is the lowest slot, up to this one, that holds a message with role `compactionSummary`.
      Summary = Struct.new(:slot, :message, :marked)

      # The summaries of one id by rising slot. Those that were dropped stand behind those that are in force, so
      # a search can halve.
      Named = Struct.new(:list, :length)

      attr_reader :height

      def initialize
        @slots = []
        @height = 0
        @named = {}
      end

      # The newest first.
      def to_a
        @slots.first(@height).reverse.map(&:message)
      end

      # The lowest slot with role `compactionSummary`, or null.
      def marked
        @slots[@height - 1].marked if @height.positive?
      end

      # The highest slot, not above `top`, that has the id.
      def find(id, top)
        named = @named[id] or return
        behind = count(named, top)
        named.list[behind - 1].slot if behind.positive?
      end

      # Drops what stands above `height`, and puts the message there. Gives the undo.
      def push(message, height, marks)
        below = @slots[height - 1].marked if height.positive?
        summary = Summary.new(height, message, below || (height if marks))
        old_height = @height
        old = @slots[height]
        @height = height
        undo_name = name(summary)
        @slots[height] = summary
        @height = height + 1
        lambda do
          @slots[height] = old
          @height = old_height
          undo_name.call
        end
      end

      private

      def name(summary)
        named = @named[summary.message.id] ||= Named.new([], 0)
        length = named.length
        place = count(named, @height - 1)
        old = named.list[place]
        named.list[place] = summary
        named.length = place + 1
        lambda do
          named.list[place] = old
          named.length = length
        end
      end

      # How many at the start are in force and not above `top`.
      def count(named, top)
        (0...named.length).bsearch { |place| !in_force?(named.list[place], top) } || named.length
      end

      def in_force?(summary, top)
        summary.slot <= top && summary.slot < @height && @slots[summary.slot].equal?(summary)
      end
    end
  end
end
