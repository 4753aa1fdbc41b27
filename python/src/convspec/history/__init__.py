"""The format history.json: a conversation as a value."""
