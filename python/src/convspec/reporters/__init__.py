"""One file per form in which reports are printed. None of them prints by itself."""
