"""From one format to the other. The only code that knows both; what cannot be carried is always said."""
