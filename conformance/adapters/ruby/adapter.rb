# frozen_string_literal: true

# The Ruby adapter of the conformance corpus. Without an argument it speaks the protocol; with a path it is of the
# plain tier. `--errors PATH` lists the errors found, for people.

require_relative "lib/convspec/check"
require_relative "lib/convspec/protocol"

EXIT = { "valid" => 0, "invalid" => 1, "unreadable" => 2, "unsupported" => 3 }.freeze
BROKEN = 70 # none of the four: the runner counts it as a crash

[$stdin, $stdout].each(&:binmode)
check = Convspec::Check.new

begin
  case ARGV
  in [] then Convspec::Protocol.new(check, $stdin, $stdout).run
  in [path] then exit EXIT.fetch(check.call(path).verdict)
  in ["--errors", path]
    report = check.call(path)
    report.findings.each { |finding| puts Convspec::JsonWriter.dump(finding.to_h) }
    exit EXIT.fetch(report.verdict)
  end
rescue Convspec::Protocol::Broken => e
  warn "protocol: #{e.message}"
  exit BROKEN
rescue StandardError, SystemStackError, NoMemoryError => e
  warn "failed: #{e.class}", e.backtrace&.first(5)
  exit BROKEN
end
