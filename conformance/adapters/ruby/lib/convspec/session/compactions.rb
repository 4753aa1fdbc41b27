# frozen_string_literal: true

require_relative "context"

module Convspec
  class Session
    # The error of section 6: a compaction keeps a message that is not there (session.md#kept). It is judged on
    # every whole entry, on any branch; in version 1 along the log, up to the first gap (session.md#version-1).
    class Compactions
      def initialize(log, tree)
        @log = log
        @tree = tree
      end

      def each_error(&tell)
        @tell = tell
        @context = Context.new
        @undo = []
        return @tree.walk(self) if @tree

        @log.tree_records.each { |record| enter(record) }
      end

      def enter(record)
        undo, lost = @context.enter(record)
        @undo.push(undo)
        return if !lost || (@tree.nil? && @log.gap?(record.place))

        @tell.call("compaction-kept-missing", record, "/message/#{Context.kept_member(record.message)}")
      end

      def leave
        @undo.pop.call
      end
    end
  end
end
