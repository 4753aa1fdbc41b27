# frozen_string_literal: true

require "timeout"
require_relative "helper"

# Input that is made to crash a reader, to hang it, or to take it quadratic time.
class HostileTest < Minitest::Test
  include Helper

  MANY = 20_000

  def self.quick(name, text, file = "log.jsonl")
    define_method("test_#{name}") do
      Timeout.timeout(60) { assert_equal "invalid", check(text, file).verdict }
    end
  end

  quick :deep_arrays, "#{HEADER}\n#{'[' * MANY}\n"
  quick :deep_objects, "#{HEADER}\n#{'{"a":' * MANY}\n"
  quick :open_braces_and_quotes, "#{HEADER}\n#{'{"' * MANY}\n"
  quick :closed_objects_in_torn_ones, "#{HEADER}\n#{'{"a":{"b":1}x' * MANY}\n"
  quick :broken_escapes, "#{HEADER}\n#{'{"\\x' * MANY}\n"
  quick :nul_runs, "#{HEADER}\n#{"\0x" * MANY}\n"
  quick :deep_history, "{\"version\":1,\"messages\":#{'[' * MANY}", "history.json"
  quick :messages_that_lack_everything, "{\"version\":1,\"messages\":[#{(['{}'] * MANY).join(',')}]}", "history.json"

  def test_a_long_path
    lines = Array.new(MANY) { |n| message_line("c#{n}", n.zero? ? nil : "c#{n - 1}") }
    report = log(*lines)
    assert_equal ["valid", MANY], [report.verdict, report.reading[:tally][:branch]]
  end

  def test_a_long_cycle
    lines = Array.new(MANY) { |n| message_line("c#{n}", "c#{(n + 1) % MANY}") }
    assert_equal ["parent-cycle"], rules(log(*lines))
  end

  def test_many_branches_below_many_compactions
    lines = Array.new(MANY) { |n| compaction("c#{n}", n.zero? ? nil : "c#{[n, MANY / 2].min - 1}") }
    assert_equal ["compaction-kept-missing"], rules(log(*lines))
  end

  private

  # Each keeps a message `k`, which is the summary before it; the first finds none.
  def compaction(id, parent)
    JSON.generate({ type: "compaction", id: id, parentId: parent, timestamp: "2026-02-11T08:00:01Z",
                    message: { role: "compactionSummary", id: "k", summary: "s", first_kept_entry_id: "k" } })
  end
end
