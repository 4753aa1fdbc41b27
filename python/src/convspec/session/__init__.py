"""The format of session logs: an append-only JSONL event log with a tree of entries."""
