# frozen_string_literal: true

require "stringio"
require_relative "helper"
require_relative "../lib/convspec/protocol"

# The protocol and the plain tier, as a runner sees them.
class ProtocolTest < Minitest::Test
  include Helper

  START = { cmd: "start", protocol: 1 }.freeze

  def test_introduces_itself_and_stops
    answers, _, code = protocol(START, { cmd: "stop" })
    assert_equal 0, code
    assert_equal %w[verdict reading], answers.fetch(0)["levels"]
  end

  def test_ends_with_its_input
    _, _, code = protocol(START)
    assert_equal 0, code
  end

  def test_nothing_is_read_behind_stop
    answers, _, code = protocol(START, { cmd: "stop" }, "no JSON")
    assert_equal [1, 0], [answers.length, code]
  end

  def test_answers_carry_the_number_of_the_request
    Dir.mktmpdir do |folder|
      path = File.join(folder, "log.jsonl")
      File.write(path, "#{HEADER}\n")
      answers, = protocol(START, request(7, path), request(8, File.join(folder, "none")))
      assert_equal [[7, "valid"], [8, "unreadable"]], answers.drop(1).map { |one| one.values_at("seq", "verdict") }
    end
  end

  def test_a_kind_that_is_not_known_is_skipped
    answers, = protocol(START, request(1, "/nowhere").merge(kind: "write"))
    assert_equal %w[seq skipped], answers.last.keys
  end

  def test_a_broken_line_ends_it_with_an_error
    ["no JSON", "[]", '{"cmd":"dance"}', '{"cmd":"case","seq":"1"}', '{"cmd":"start","protocol":9}',
     "{\"cmd\":\"\xFF\"}".b].each do |line|
      answers, errors, code = protocol(line)
      assert_equal [[], 70], [answers, code], line
      assert_match(/\Aprotocol: /, errors)
    end
  end

  def test_an_exception_is_no_verdict
    broken = Object.new
    def broken.call(_path)
      raise IndexError, "a secret"
    end
    output = StringIO.new
    Convspec::Protocol.new(broken, StringIO.new("#{JSON.generate(request(3, '/x'))}\n"), output).run
    answer = JSON.parse(output.string)
    assert_equal %w[seq failed], answer.keys
    assert_match(/\AIndexError at protocol_test\.rb:\d+\z/, answer["failed"])
  end

  def test_plain_tier
    Dir.mktmpdir do |folder|
      texts = { 0 => HEADER, 1 => "[]", 3 => HEADER.sub(":2", ":3") }
      texts.each do |code, text|
        path = File.join(folder, "log.jsonl")
        File.write(path, "#{text}\n")
        assert_equal code, adapter(path).last
      end
      assert_equal 2, adapter(File.join(folder, "none")).last
    end
  end

  def test_half_a_surrogate_pair_in_an_answer
    Dir.mktmpdir do |folder|
      path = File.join(folder, "log.jsonl")
      File.write(path, %(#{HEADER}\n{"type":"session_info","timestamp":"2026-02-11T08:00:01Z","name":"a\\ud83d"}\n))
      output, = adapter(input: "#{JSON.generate(request(1, path))}\n")
      assert_includes output, '"name":"a\ud83d"'
    end
  end

  private

  def request(seq, path)
    { cmd: "case", seq: seq, kind: "check", format: "session", path: path }
  end
end
