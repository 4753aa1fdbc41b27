"""From bytes to values: the only code that knows encodings, line ends and JSON syntax."""
