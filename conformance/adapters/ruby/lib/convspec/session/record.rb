# frozen_string_literal: true

require_relative "../number"

module Convspec
  class Session
    # A value of the log that is an object with a string as `type` (session.md#record).
    class Record
      TREE = %w[message compaction branch_summary].freeze
      KNOWN = (%w[session leaf label session_info system_prompt memory_state tool_execution_end] + TREE).freeze

      attr_reader :value, :type, :place, :line, :number
      # Set later: what the schema layer says, and the id and parent that a mixed log gives (session.md#mixed).
      attr_accessor :schema
      attr_writer :id, :parent

      # `place` is the place in the order of the file, gaps counted.
      def initialize(item, place)
        @value = item.value
        @type = @value["type"]
        @place = place
        @line = item.line
        @number = item.record
        @id = usable_id
      end

      def tree?
        TREE.include?(@type)
      end

      def known?
        KNOWN.include?(@type)
      end

      # Usable, or given by a mixed log; else null (session.md#entries).
      attr_reader :id

      def usable_id
        Record.id_text(@value["id"])
      end

      # What the `parentId` gives: the id of the parent, null for a root, or :cut.
      def parent
        return @parent if defined?(@parent)

        Record.reference(@value["parentId"])
      end

      # There, and without a schema finding.
      def sound?(*path)
        holder = path[0..-2].reduce(@value) { |object, step| object.is_a?(Hash) ? object[step] : nil }
        holder.is_a?(Hash) && holder.key?(path.last) && !@schema&.at?("/#{path.join('/')}")
      end

      # The message of a `message` or `compaction` record that can be restored: an object with a string as `role`
      # (session.md#compaction).
      def message
        message = @value["message"]
        message if message.is_a?(Hash) && message["role"].is_a?(String)
      end

      # Members of the wrong type count as null in the reading (session.md, section 7).
      def string(member)
        value = @value[member]
        value if value.is_a?(String)
      end

      class << self
        # An integer, written without fraction and exponent, counts as its decimal text; that of `-0` is `0`.
        def id_text(value)
          value = value.text.sub(/\A-0\z/, "0") if value.is_a?(Number) && value.plain?
          value if value.is_a?(String) && !value.empty?
        end

        # The id that a `parentId` or `targetId` gives; null where it is null or ""; :cut for anything else.
        def reference(value)
          value.nil? || value == "" ? nil : id_text(value) || :cut
        end
      end
    end
  end
end
