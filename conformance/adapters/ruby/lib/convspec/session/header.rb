# frozen_string_literal: true

module Convspec
  class Session
    # A header that the file's name gives where the log has none (session.md#header-recovery), and the header as it
    # is read (session.md#reading-header).
    class Header
      STORE_NAME = /\A([0-9]{4}-[0-9]{2}-[0-9]{2}T)([0-9]{2})-([0-9]{2})-([0-9]{2}[.][0-9]{3}Z)_([0-9a-fA-F-]{36})[.]jsonl\z/n
      WITNESSES = %w[message session_info system_prompt memory_state].freeze
      MEMBERS = %i[id timestamp cwd provider model reasoningEffort parentId parentPath].freeze

      def initialize(log, file_name)
        @log = log
        @name = STORE_NAME.match(file_name.b)
      end

      # `header-missing` is silent where a gap stands before the first record, or there is a gap and no record.
      def missing?
        return false if @log.header || recovered?

        first = @log.records.first
        first ? !@log.gap?(first.place) : !@log.gap?
      end

      def recovered?
        @log.header.nil? && !@name.nil? && @log.records.any? { |record| WITNESSES.include?(record.type) }
      end

      def reading
        return read(@log.header).merge(recovered: false) if @log.header
        return unless recovered?

        nothing = MEMBERS.to_h { |member| [member, nil] }
        nothing.merge(id: @name[5], timestamp: "#{@name[1]}#{@name[2]}:#{@name[3]}:#{@name[4]}", recovered: true)
      end

      private

      def read(record)
        MEMBERS.to_h do |member|
          value = record.string(member.to_s)
          [member, value == "" ? nil : value]
        end
      end
    end
  end
end
