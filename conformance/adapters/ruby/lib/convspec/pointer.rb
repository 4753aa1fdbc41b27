# frozen_string_literal: true

module Convspec
  # JSON Pointers (history.md#pointers).
  module Pointer
    LONGEST_KEY = 256

    module_function

    # A pointer stops above the first key that holds half a surrogate pair or is too long (D_pointer_bounds).
    def build(path)
      pointer = +""
      path.each do |step|
        break unless step.is_a?(Integer) || printable?(step)

        pointer << "/" << escape(step)
      end
      pointer
    end

    def escape(step)
      step.is_a?(Integer) ? step.to_s : step.gsub("~", "~0").gsub("/", "~1")
    end

    def printable?(key)
      key.valid_encoding? && key.length <= LONGEST_KEY
    end
  end
end
