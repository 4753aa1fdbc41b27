# frozen_string_literal: true

require_relative "../lines"
require_relative "record"

module Convspec
  class Session
    # The records and gaps of a log, its header in force and its version (session.md#header, #version, #mixed,
    # #gaps).
    class Log
      attr_reader :records, :gaps, :skipped, :objects_without_type, :header, :version

      def initialize(lines)
        @records = []
        @gaps = []
        @skipped = lines.lost_lines
        @objects_without_type = []
        lines.items.each_with_index { |item, place| sort(item, place) }
        @header = find_header
        @version = find_version
        @mixed = @version == 1 && tree_records.any?(&:id)
        name_records if @mixed
        find_nameless if tree?
      end

      # Any gap at all; or one earlier in the file than a place.
      def gap?(before = nil)
        @first_gap ||= @gaps.min || Float::INFINITY
        @first_gap < (before || Float::INFINITY)
      end

      # Judged as a tree: version 2, and mixed logs.
      def tree?
        @version == 2 || @mixed
      end

      def newer?
        @version == :newer
      end

      def tree_records
        @tree_records ||= @records.select(&:tree?)
      end

      def of_type(type)
        @records.select { |record| record.type == type }
      end

      private

      def sort(item, place)
        return @gaps.push(place) if item == Lines::GAP
        return @skipped += 1 unless item.value.is_a?(Hash)
        return @records.push(Record.new(item, place)) if item.value["type"].is_a?(String)

        @objects_without_type.push(item)
        lose(place)
      end

      # A gap that is a record of its own is counted by itself (session.md#tally).
      def lose(place)
        @gaps.push(place)
        @skipped += 1
      end

      # The first with a non-empty string as `id`; where there is none, the first.
      def find_header
        headers = of_type("session")
        headers.find { |record| string_id?(record) } || headers.first
      end

      def string_id?(record)
        record.value["id"].is_a?(String) && !record.value["id"].empty?
      end

      # session.md#version; without a `session` record, session.md#header-recovery.
      def find_version
        return tree_records.any?(&:id) ? 2 : 1 unless @header

        version = @header.value["version"]
        return 2 unless version.is_a?(Number) && version.integer? && !version.below?(1)
        return version.equal_to?(1) ? 1 : 2 if version.below?(3)

        string_id?(@header) ? :newer : 2
      end

      # In a mixed log the n-th tree record without a usable id is `message:n` and follows the one before it.
      def name_records
        tree_records.each_with_index do |record, n|
          next if record.id

          record.id = "message:#{n}"
          record.parent = n.zero? ? nil : tree_records[n - 1].id
        end
      end

      # In version 2 a tree record without a usable id is a gap; in a mixed log none is left.
      def find_nameless
        tree_records.each { |record| lose(record.place) unless record.id }
      end
    end
  end
end
