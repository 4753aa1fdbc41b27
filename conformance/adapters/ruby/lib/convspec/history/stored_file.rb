# frozen_string_literal: true

require "digest"
require_relative "../utf8"

module Convspec
  class History
    # A file of the folder `attachments`. No link is followed, and nothing but a regular file is opened
    # (history.md#attachment-links, #attachment-present).
    class StoredFile
      FLAGS = File::RDONLY | File::NOFOLLOW | File::NONBLOCK | File::BINARY
      CHUNK = 1 << 16

      # Not there, or not possible because of the name.
      ABSENT = [Errno::ENOENT, Errno::ENAMETOOLONG, Errno::EILSEQ, Errno::EINVAL].freeze

      attr_reader :error, :size, :digest

      def initialize(folder, name)
        @directory = File.join(folder.b, "attachments")
        @path = File.join(@directory, name)
        @error = Utf8.valid?(name) ? look : "attachment-missing"
      end

      private

      def look
        return "attachment-symlink" unless File.lstat(@directory).directory?
        return "attachment-symlink" unless File.lstat(@path).file?

        File.open(@path, FLAGS) { |file| file.stat.file? ? read(file.binmode) : "attachment-symlink" }
      rescue *ABSENT
        "attachment-missing"
      rescue Errno::ELOOP
        "attachment-symlink"
      rescue SystemCallError
        "attachment-unreadable"
      end

      def read(file)
        sum = Digest::SHA256.new
        @size = 0
        while (chunk = file.read(CHUNK))
          sum << chunk
          @size += chunk.bytesize
        end
        @digest = sum.hexdigest
        nil
      end
    end
  end
end
