# frozen_string_literal: true

require_relative "helper"

# The value of a history: canonical form and repair (history.md#canonical, #repair).
class ValueTest < Minitest::Test
  include Helper

  def canonical(text)
    Convspec::Canonical.text(Convspec::StrictJson.new(text.b).read(0).value)
  end

  # Numbers as ECMAScript writes them.
  def test_numbers
    {
      "-0" => "0", "1e2" => "100", "1E21" => "1e+21", "999999999999999999999" => "1e+21", "1e20" => "1#{'0' * 20}",
      "1e-6" => "0.000001", "1e-7" => "1e-7", "123e-20" => "1.23e-18", "5e-324" => "5e-324", "4.50" => "4.5",
      "9007199254740993" => "9007199254740992", "-12.5" => "-12.5", "1.7976931348623157e308" => "1.7976931348623157e+308"
    }.each { |written, wanted| assert_equal wanted, canonical(written), written }
  end

  # U+1F600 is two code units that sort before U+FB33.
  def test_keys_are_sorted_by_code_units
    assert_equal "{\"\\r\":1,\"a\":4,\"\u{1F600}\":2,\"\uFB33\":3}",
                 canonical("{\"\u{FB33}\":3,\"\u{1F600}\":2,\"a\":4,\"\\r\":1}")
  end

  def test_no_canonical_form_beyond_the_doubles
    report = history({ id: "m1", role: "assistant", content: "", tokens: { input: 10**400 } })
    assert_equal "valid", report.verdict
    refute report.reading.key?(:canonical)
    assert_equal report.value, history({ id: "m1", role: "assistant", content: "", tokens: { input: 10**400 } }).value
  end

  def test_a_refused_history_has_no_value
    assert_nil history({ id: "", role: "user", content: "look" }).value
  end

  def test_a_repair_stands_behind_the_run
    calls = %w[c1 c2].map { |id| { id: id, name: "read", arguments: {} } }
    value = history({ id: "m1", role: "assistant", content: "", tool_calls: calls },
                    { id: "m2", role: "tool", content: "one", tool_call_id: "c1" },
                    { id: "m3", role: "user", content: "wait" }).value
    assert_equal(["m1", "m2", "*", "m3"], value.repaired.map { |message| message["id"] })
  end
end
