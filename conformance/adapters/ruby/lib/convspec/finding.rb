# frozen_string_literal: true

module Convspec
  # An error. (This implementation goes as far as the verdict and the reading, and so looks for no warnings.)
  # Line and record are those of a session log; a history has neither.
  Finding = Struct.new(:rule, :pointer, :member, :line, :record, keyword_init: true)

  # What is said of one file. The reading is null where there is none; the value is that of a valid history.
  Report = Struct.new(:format, :findings, :reading, :value, keyword_init: true) do
    # history.md#verdict, session.md#verdict: the first that holds.
    def verdict
      rules = findings.map(&:rule)
      return "unreadable" if rules.include?("file-unreadable") || rules.include?("format-unrecognised")
      return "unsupported" if rules.include?("version-newer")

      rules.empty? ? "valid" : "invalid"
    end
  end
end
