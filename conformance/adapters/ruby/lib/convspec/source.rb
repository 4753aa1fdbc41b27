# frozen_string_literal: true

module Convspec
  # A file as bytes, with its name and its folder (history.md#unreadable, #attachment-folder).
  class Source
    BYTE_ORDER_MARK = "\xEF\xBB\xBF".b.freeze
    DOCUMENT = "history.json"

    # There is no such file, or it is none that may be opened.
    class Unreadable < StandardError; end

    attr_reader :text, :name, :folder

    # `text` is what stands behind a byte order mark (history.md#words).
    def initialize(bytes, name, folder)
      @marked = bytes.start_with?(BYTE_ORDER_MARK)
      @text = @marked ? bytes.byteslice(BYTE_ORDER_MARK.bytesize..) : bytes
      @name = name
      @folder = folder
    end

    def marked?
      @marked
    end

    # No bytes, or only white space and NUL bytes (history.md#empty).
    def empty?
      @text.match?(/\A[ \t\n\r\0]*+\z/n)
    end

    class << self
      def open(path)
        path = File.join(path, DOCUMENT) if File.stat(path).directory?
        name = File.basename(path)
        new(read(path), name, name == DOCUMENT ? File.dirname(path) : nil)
      rescue SystemCallError, ArgumentError => e
        raise Unreadable, e.class.name
      end

      private

      # A pipe or a device is not opened; should one take the file's place just now, it does not hold us up.
      def read(path)
        raise Unreadable, "no regular file" unless File.stat(path).file?

        File.open(path, File::RDONLY | File::NONBLOCK | File::BINARY) do |file|
          raise Unreadable, "no regular file" unless file.stat.file?

          file.binmode.read
        end
      end
    end
  end
end
