# frozen_string_literal: true

require "json"
require "minitest/autorun"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "../lib/convspec/check"
require_relative "../lib/convspec/json_writer"

# What the tests share: small logs and histories, and the adapter as a process.
module Helper
  ADAPTER = File.expand_path("../adapter.rb", __dir__)
  HEADER = '{"type":"session","version":2,"id":"s1","timestamp":"2026-02-11T08:00:00Z","cwd":"/srv/demo"}'
  CHECK = Convspec::Check.new

  def check(text, name = "log.jsonl")
    Dir.mktmpdir do |folder|
      path = File.join(folder, name)
      File.binwrite(path, text)
      CHECK.call(path)
    end
  end

  def log(*lines)
    check([HEADER, *lines].map { |line| "#{line}\n" }.join)
  end

  def history(*messages)
    check(JSON.generate({ version: 1, messages: messages }), "history.json")
  end

  def message_line(id, parent = nil)
    JSON.generate({ type: "message", id: id, parentId: parent, timestamp: "2026-02-11T08:00:01Z",
                    message: { role: "user", content: "look" } })
  end

  def rules(report)
    report.findings.map(&:rule)
  end

  # Standard output, standard error, and the exit code of the adapter.
  def adapter(*arguments, input: "")
    output, errors, status = Open3.capture3(RbConfig.ruby, ADAPTER, *arguments, stdin_data: input, binmode: true)
    [output, errors, status.exitstatus]
  end

  def protocol(*requests)
    output, errors, code = adapter(input: requests.map { |one| "#{one.is_a?(String) ? one : JSON.generate(one)}\n" }.join)
    [output.lines.map { |line| JSON.parse(line) }, errors, code]
  end
end
