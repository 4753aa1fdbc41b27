# frozen_string_literal: true

require_relative "helper"

# Numbers at the edges of a double (history.md#numbers).
class NumberTest < Minitest::Test
  include Helper

  def number(text)
    Convspec::Number.new(text)
  end

  def test_what_rounds_to_infinity
    %w[1e308 1.7976931348623158079e308 0e99999999999999999999 1e-99999999999999999999 -0.0].each do |text|
      assert number(text).finite?, text
    end
    %w[1e309 -1e400 1.7976931348623159e308 1e99999999999999999999].each do |text|
      refute number(text).finite?, text
    end
    assert number("0.#{'0' * 400}1e700").finite?
    refute number("#{'1' * 310}.0").finite?
    assert number("1" * 400).finite?, "an integer may be of any length"
  end

  def test_the_last_digit_decides
    limit = Convspec::Number::INFINITE
    refute number("#{limit}.0").finite?
    assert number("#{limit.to_i - 1}.9").finite?
  end

  def test_what_is_an_integer
    %w[3 3.0 3e0 30e-1 1e300 1e-400].each { |text| assert number(text).integer?, text }
    %w[3.5 1e-1].each { |text| refute number(text).integer?, text }
  end

  def test_integers_of_any_length_are_compared
    assert number("-#{'9' * 400}").below?(0)
    refute number("9" * 400).below?(0)
    refute number("-0").below?(0)
  end

  def test_they_go_out_as_they_came_in
    text = '{"a":[-0,1E5,1.10,12345678901234567890]}'
    assert_equal text, Convspec::JsonWriter.dump(Convspec::StrictJson.new(text.b).read(0).value)
  end
end
