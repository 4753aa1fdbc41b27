"""From one format to the other. The only code that knows both; what cannot be carried is always said."""

from convspec.converting.history_of import Converted, to_history
from convspec.converting.losses import Loss
from convspec.converting.messages_of import to_session_messages
from convspec.converting.starting import new_log
from convspec.converting.upgrade import upgraded

__all__ = ["Converted", "Loss", "new_log", "to_history", "to_session_messages", "upgraded"]
