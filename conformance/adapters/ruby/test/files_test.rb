# frozen_string_literal: true

require "digest"
require "timeout"
require_relative "helper"

# What stands on the disk, as far as git cannot hold it (history.md#unreadable, #attachment-links).
class FilesTest < Minitest::Test
  include Helper

  def test_pipes_are_not_opened
    Dir.mktmpdir do |folder|
      pipe = File.join(folder, "history.json")
      File.mkfifo(pipe)
      Timeout.timeout(10) do
        assert_equal %w[unreadable unreadable], [CHECK.call(pipe).verdict, CHECK.call(folder).verdict]
      end
    end
  end

  def test_an_attachment_that_may_not_be_read
    skip "the superuser may read everything" if Process.uid.zero?
    with_attachment("hello\n") do |folder, file|
      File.chmod(0, file)
      assert_equal ["attachment-unreadable"], rules(CHECK.call(folder))
    end
  end

  def test_bytes_are_counted_only_where_nothing_is_wrong
    with_attachment("hello\n") do |folder, file|
      assert_equal 6, CHECK.call(folder).reading[:tally][:attachment_bytes]
      File.write(file, "other")
      report = CHECK.call(folder)
      assert_equal [["attachment-digest"], 0], [rules(report), report.reading[:tally][:attachment_bytes]]
    end
  end

  def test_a_path_that_cannot_exist
    assert_equal "unreadable", CHECK.call("/a\0b").verdict
    assert_equal "unreadable", CHECK.call("x" * 100_000).verdict
  end

  private

  def with_attachment(bytes)
    Dir.mktmpdir do |folder|
      Dir.mkdir(File.join(folder, "attachments"))
      file = File.join(folder, "attachments", "a.txt")
      File.write(file, bytes)
      stored = { mime: "text/plain", filename: "a.txt", file: "attachments/a.txt",
                 sha256: Digest::SHA256.hexdigest(bytes) }
      document = { version: 1, messages: [{ id: "m1", role: "user", content: "look", attachments: [stored] }] }
      File.write(File.join(folder, "history.json"), JSON.generate(document))
      yield folder, file
    end
  end
end
