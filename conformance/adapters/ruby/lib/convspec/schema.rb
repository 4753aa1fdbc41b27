# frozen_string_literal: true

require "json"
require_relative "number"
require_relative "pointer"
require_relative "utf8"

module Convspec
  # The schema layer: exactly those keywords of JSON Schema that the schemas use, and no others. The depth of the
  # walk is that of the schemas, not that of the input.
  class Schema
    FOLDER = ENV["CONVSPEC_SCHEMA"] || File.expand_path("../../../../../schema", __dir__)
    BASE = "https://w3id.org/convspec/schema/"

    # What a keyword's failure is called, in the order of "the first of type, enum, length and pattern that
    # failed" (history.md#layers).
    RULES = {
      "type" => "schema-type", "enum" => "schema-enum", "const" => "schema-enum",
      "minLength" => "schema-min-length", "pattern" => "schema-pattern",
      "minimum" => "schema-minimum", "maxItems" => "schema-max-items"
    }.freeze
    RANK = RULES.keys.each_with_index.to_h.freeze
    STRUCTURE = %w[$ref allOf if then properties required items].freeze
    SILENT = %w[$schema $id $defs title description examples].freeze

    TYPES = {
      "object" => ->(value) { value.is_a?(Hash) },
      "array" => ->(value) { value.is_a?(Array) },
      "string" => ->(value) { value.is_a?(String) },
      "number" => ->(value) { value.is_a?(Number) },
      "integer" => ->(value) { value.is_a?(Number) && value.integer? },
      "boolean" => ->(value) { [true, false].include?(value) },
      "null" => ->(value) { value.nil? }
    }.freeze

    # What one value gave: at most one keyword per place, and the members that are missing.
    class Findings
      attr_reader :places

      def initialize
        @places = {}
        @lacking = {}
      end

      def fail(path, keyword)
        pointer = Pointer.build(path)
        known = @places[pointer]
        @places[pointer] = keyword if known.nil? || RANK.fetch(keyword) < RANK.fetch(known)
      end

      def lack(path, member)
        @lacking[[Pointer.build(path), member]] = true
      end

      # Pairs of a pointer and a member.
      def missing
        @lacking.keys
      end

      def rule(pointer)
        RULES[@places[pointer]]
      end

      def at?(pointer)
        @places.key?(pointer)
      end

      def empty?
        @places.empty? && @lacking.empty?
      end
    end

    def initialize(folder = FOLDER)
      @folder = folder
      @files = {}
      @patterns = {}
    end

    # Judges a value by a file such as `history/1.0/history.schema.json`.
    def findings(file, value)
      findings = Findings.new
      judge(load(file), file, value, [], findings)
      findings
    end

    private

    def load(file)
      @files[file] ||= check_keywords(JSON.parse(File.read(File.join(@folder, file), encoding: "UTF-8")))
    end

    # A keyword that is not known here must not pass unseen.
    def check_keywords(schema)
      unknown = schema.keys - RULES.keys - STRUCTURE - SILENT
      raise ArgumentError, "unknown schema keywords: #{unknown.join(', ')}" unless unknown.empty?

      schema.fetch("properties", {}).each_value { |part| check_keywords(part) }
      schema.fetch("allOf", []).each { |part| check_keywords(part) }
      schema.fetch("$defs", {}).each_value { |part| check_keywords(part) }
      schema.values_at("items", "if", "then").compact.each { |part| check_keywords(part) }
      schema
    end

    def judge(schema, file, value, path, findings)
      refer(schema["$ref"], file, value, path, findings) if schema.key?("$ref")
      keyword = first_failure(schema, value)
      findings.fail(path, keyword) if keyword
      judge_members(schema, file, value, path, findings) if value.is_a?(Hash)
      judge_items(schema, file, value, path, findings) if value.is_a?(Array)
      schema["allOf"]&.each { |part| judge(part, file, value, path, findings) }
      judge(schema["then"], file, value, path, findings) if schema.key?("if") && holds?(schema["if"], file, value)
    end

    def judge_members(schema, file, value, path, findings)
      schema["required"]&.each { |member| findings.lack(path, member) unless value.key?(member) }
      schema["properties"]&.each do |member, part|
        judge(part, file, value[member], path + [member], findings) if value.key?(member)
      end
    end

    def judge_items(schema, file, value, path, findings)
      part = schema["items"] or return
      value.each_with_index { |item, index| judge(part, file, item, path + [index], findings) }
    end

    def holds?(schema, file, value)
      findings = Findings.new
      judge(schema, file, value, [], findings)
      findings.empty?
    end

    # A reference is a file beside this one, or a place in `$defs`, or both.
    def refer(reference, file, value, path, findings)
      name, fragment = reference.delete_prefix(BASE).split("#", 2)
      target = if name.empty? then file
               elsif reference.start_with?(BASE) then name
               else File.join(File.dirname(file), name)
               end
      target = target.gsub(%r{[^/]+/\.\./}, "")
      steps = fragment.to_s.split("/").drop(1)
      judge(steps.reduce(load(target)) { |part, step| part.fetch(step) }, target, value, path, findings)
    end

    def first_failure(schema, value)
      RULES.each_key.find { |keyword| schema.key?(keyword) && !satisfied?(keyword, schema[keyword], value) }
    end

    def satisfied?(keyword, wanted, value)
      case keyword
      when "type" then Array(wanted).any? { |type| TYPES.fetch(type).call(value) }
      when "enum" then wanted.any? { |one| same?(one, value) }
      when "const" then same?(wanted, value)
      when "minLength" then !value.is_a?(String) || Utf8.length(value) >= wanted
      when "pattern" then !value.is_a?(String) || pattern(wanted).match?(value.b)
      when "minimum" then !value.is_a?(Number) || !value.below?(wanted)
      when "maxItems" then !value.is_a?(Array) || value.length <= wanted
      end
    end

    def same?(wanted, value)
      return value.is_a?(Number) && value.equal_to?(wanted) if wanted.is_a?(Integer)

      wanted == value
    end

    # In Ruby `^` and `$` are about lines. In the schemas they are the very start and the very end.
    def pattern(source)
      @patterns[source] ||= Regexp.new(source.sub(/\A\^/, "\\A").sub(/\$\z/, "\\z"), Regexp::NOENCODING)
    end
  end
end
