# frozen_string_literal: true

module Convspec
  # Base64 by RFC 4648 section 4, padded, without white space, the unused bits zero (history.md#inline).
  module Base64
    WHOLE = %r{\A(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?\z}n

    module_function

    def valid?(text)
      WHOLE.match?(text.b)
    end

    # The bytes that valid base64 stands for.
    def decode(text)
      text.unpack1("m")
    end
  end
end
