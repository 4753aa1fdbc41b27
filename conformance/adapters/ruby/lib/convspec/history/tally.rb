# frozen_string_literal: true

module Convspec
  class History
    # What the file holds, valid or not (history.md#tally).
    module Tally
      NOTHING = { messages: 0, attachments: 0, attachment_bytes: 0 }.freeze

      module_function

      # `contents` are those of the attachments, by pointer.
      def count(document, findings, contents)
        pointers = attachment_pointers(document)
        faulty = findings.filter_map { |finding| finding.pointer&.slice(%r{\A/messages/\d+/attachments/\d+(?=/|\z)}) }
                         .to_h { |pointer| [pointer, true] }
        {
          messages: objects(document["messages"]).length,
          attachments: pointers.length,
          attachment_bytes: pointers.sum { |pointer| faulty[pointer] ? 0 : contents.fetch(pointer).size }
        }
      end

      def attachment_pointers(document)
        objects(document["messages"]).flat_map do |message, i|
          objects(message["attachments"]).map { |_, j| "/messages/#{i}/attachments/#{j}" }
        end
      end

      # The objects of a list, each with its index. What is no array counts as empty.
      def objects(list)
        return [] unless list.is_a?(Array)

        list.each_with_index.select { |item, _| item.is_a?(Hash) }
      end
    end
  end
end
