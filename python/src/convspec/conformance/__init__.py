"""The conformance corpus: its cases, their edits, and how an answer is compared."""
