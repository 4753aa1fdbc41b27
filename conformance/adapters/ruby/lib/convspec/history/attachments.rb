# frozen_string_literal: true

require "digest"
require_relative "../base64"
require_relative "stored_file"

module Convspec
  class History
    # The errors of the attachments layer. The first check that reports ends those of an attachment; a check is
    # left out where a member it reads carries a schema finding (history.md#attachment).
    class Attachments
      STORED_NAME = %r{\Aattachments/([^/\\\0]+)\z}mn

      # Digest and number of the bytes, decoded.
      Content = Struct.new(:sha256, :size)

      # The contents of the attachments without an error of this layer, by pointer.
      attr_reader :contents

      def initialize(messages, schema, folder)
        @messages = messages
        @schema = schema
        @folder = folder
        @contents = {}
      end

      def each_error
        each_attachment do |attachment, place|
          rule, member = first_error(attachment, place)
          rule ? yield(rule, "#{place}#{member}") : @contents[place] = @content
        end
      end

      private

      def each_attachment
        @messages.each_with_index do |message, i|
          list = message["attachments"] if message.is_a?(Hash)
          next unless list.is_a?(Array)

          list.each_with_index { |item, j| yield item, "/messages/#{i}/attachments/#{j}" if item.is_a?(Hash) }
        end
      end

      def first_error(attachment, place)
        @content = nil
        form_error(attachment, place) || stored_error(attachment, place) || inline_error(attachment)
      end

      # history.md#attachment-form: "neither and both are judged where `data` and `file` carry no schema finding,
      # the missing `sha256` where `file` and `sha256` carry none".
      def form_error(attachment, place)
        file = stored?(attachment)
        data = attachment["data"].is_a?(String)
        return ["attachment-form", ""] if file == data && sound?(place, "data", "file")

        missing = attachment["sha256"].nil? || attachment["sha256"] == ""
        ["attachment-form", ""] if file && missing && sound?(place, "file", "sha256")
      end

      def stored?(attachment)
        attachment["file"].is_a?(String) && !attachment["file"].empty?
      end

      def stored_error(attachment, place)
        return unless stored?(attachment)

        name = stored_name(attachment["file"])
        return ["attachment-path", "/file"] unless name
        return ["attachment-needs-folder", "/file"] unless @folder

        file = StoredFile.new(@folder, name)
        return [file.error, "/file"] if file.error

        @content = Content.new(file.digest, file.size)
        digest = attachment["sha256"]
        return if digest.nil? || !sound?(place, "sha256")

        ["attachment-digest", "/sha256"] if file.digest != digest
      end

      # The string alone, before the disk is touched (history.md#stored).
      def stored_name(file)
        name = file.b[STORED_NAME, 1] or return
        name unless [".", ".."].include?(name) || name.match?(/\A[A-Za-z]:/n)
      end

      def inline_error(attachment)
        data = attachment["data"]
        return unless data.is_a?(String)
        return ["attachment-base64", "/data"] unless Base64.valid?(data)

        bytes = Base64.decode(data)
        @content = Content.new(Digest::SHA256.hexdigest(bytes), bytes.bytesize)
        nil
      end

      def sound?(place, *members)
        members.none? { |member| @schema.at?("#{place}/#{member}") }
      end
    end
  end
end
