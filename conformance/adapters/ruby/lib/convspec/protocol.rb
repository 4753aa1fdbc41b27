# frozen_string_literal: true

require "json"
require_relative "canonical"
require_relative "json_writer"

module Convspec
  # The protocol tier: one process, JSON lines over standard input and output.
  class Protocol
    INTRODUCTION = {
      name: "convspec-ruby", language: "Ruby", version: "1.0.0", protocol: 1, spec: "1.0",
      formats: %w[history session], kinds: %w[check equal repair], levels: %w[verdict reading], abilities: %w[folder symlinks]
    }.freeze

    # A line that is no request. There is no sensible answer to it.
    class Broken < StandardError; end

    # An input that should load is no valid history.
    class Refused < StandardError; end

    def initialize(check, input, output)
      @check = check
      @input = input
      @output = output
    end

    # Until `stop`, or the end of the input.
    def run
      @input.each_line("\n") do |line|
        request = parse(line)
        case request["cmd"]
        when "start" then write(introduce(request))
        when "case" then write(answer(request))
        when "stop" then return
        else raise Broken, "unknown command"
        end
      end
    end

    private

    def parse(line)
      request = JSON.parse(line.dup.force_encoding(Encoding::UTF_8))
      request.is_a?(Hash) ? request : raise(Broken, "a request is an object")
    rescue JSON::ParserError, EncodingError
      raise Broken, "a line that is no JSON"
    end

    def introduce(request)
      request["protocol"] == 1 ? INTRODUCTION : raise(Broken, "only protocol 1 is spoken here")
    end

    # What goes wrong while a case is judged is told, and never passed off as a verdict. A path, or text of a
    # conversation, may stand in the message of an exception, so only its class and its place are shown.
    def answer(request)
      seq = request["seq"]
      raise Broken, "a case without a number or a path" unless seq.is_a?(Integer) && request["path"].is_a?(String)

      { seq: seq, **judge(request) }
    rescue Broken
      raise
    rescue StandardError, SystemStackError, NoMemoryError => e
      { seq: seq, failed: "#{e.class} at #{File.basename(e.backtrace&.first.to_s[/\A[^:]+:\d+/].to_s)}" }
    end

    def judge(request)
      case request["kind"]
      when "check"
        report = @check.call(request["path"])
        { verdict: report.verdict, reading: report.reading }
      when "equal" then { equal: load(request["path"]) == load(request["other"]) }
      when "repair" then repair(load(request["path"]))
      else { skipped: "a kind that is not known here" }
      end
    end

    def load(path)
      @check.call(path).value || raise(Refused)
    end

    def repair(value)
      messages = value.repaired
      {
        unchanged: messages.length == value.messages.length,
        messages: messages.map { |message| JsonWriter::Verbatim.new(Canonical.text(message)) }
      }
    end

    def write(answer)
      @output.write(JsonWriter.dump(answer), "\n")
      @output.flush
    end
  end
end
