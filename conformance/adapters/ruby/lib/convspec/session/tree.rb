# frozen_string_literal: true

module Convspec
  class Session
    # The entries of a log and the errors of the tree (session.md, section 3). Nothing here recurses, and each entry
    # is walked once.
    class Tree
      def initialize(log)
        @log = log
        @entries = {}
        @twice = {}
        log.tree_records.each { |record| add(record) if record.id }
      end

      def each_error(&tell)
        judge_ids(&tell)
        judge_references(&tell)
        judge_cycles(&tell)
      end

      # Calls the visitor for every entry that is whole, from the roots on: `enter` on the way down, in the order of
      # the file, and `leave` on the way back. Whole means that the path begins at a root, and no id on it is used
      # twice (session.md#entries).
      def walk(visitor)
        stack = whole(roots)
        until stack.empty?
          record = stack.pop
          next visitor.leave if record == :leave

          visitor.enter(record)
          stack.push(:leave, *whole(children[record.id]))
        end
      end

      private

      def add(record)
        if @entries.key?(record.id)
          @twice[record.id] = true
        else
          @entries[record.id] = record
        end
      end

      def roots
        @entries.each_value.select { |record| record.parent.nil? }
      end

      def children
        @children ||= @entries.each_value.group_by(&:parent).tap { |groups| groups.default = [] }
      end

      def whole(records)
        records.reject { |record| @twice[record.id] }.reverse
      end

      # session.md#entry-ids, also where the id carries `schema-type`. In a mixed log no rule at `/id` is judged on a
      # record without a usable id.
      def judge_ids
        @log.tree_records.each do |record|
          next if record.id.nil? || @entries[record.id].equal?(record)

          yield "entry-id-duplicate", record, "/id" if record.usable_id
        end
      end

      # session.md#parents: once for each id, at the first that has it.
      def judge_references
        told = {}
        each_reference do |record, member, id|
          next if @entries.key?(id) || told[id]

          kind = other_ids[id]
          next if kind == :unknown || (kind.nil? && @log.gap?)

          told[id] = true
          what = record.type == "leaf" ? "leaf-target" : "parent"
          yield "#{what}-#{kind ? 'kind' : 'missing'}", record, "/#{member}"
        end
      end

      # Every sound `parentId` of an entry and `targetId` of a leaf that is not empty, in the order of the file.
      def each_reference
        @log.records.each do |record|
          member = record.type == "leaf" ? "targetId" : "parentId"
          next unless record.type == "leaf" || (@entries[record.id].equal?(record) && record.usable_id)

          yield record, member, record.value[member] if record.sound?(member) && !record.value[member].to_s.empty?
        end
      end

      # The ids of records that are no tree records; an unknown type goes before a known one.
      def other_ids
        @other_ids ||= @log.records.each_with_object({}) do |record, ids|
          next if record.tree? || record.id.nil? || ids[record.id] == :unknown

          ids[record.id] = record.known? ? :known : :unknown
        end
      end

      # session.md#cycles: at the member that stands first, once for each cycle, also where it carries `schema-type`.
      def judge_cycles
        walks = {}
        @entries.each_value.with_index do |first, number|
          record = first
          while record && !walks.key?(record.id)
            walks[record.id] = number
            record = @entries[record.parent]
          end
          next unless record && walks[record.id] == number

          yield "parent-cycle", cycle(record).min_by(&:place), "/parentId"
        end
      end

      def cycle(record)
        members = [record]
        following = @entries[record.parent]
        until following.equal?(record)
          members.push(following)
          following = @entries[following.parent]
        end
        members
      end
    end
  end
end
