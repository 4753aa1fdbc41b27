"""`python -m convspec`."""

from convspec.cli import main

main()
