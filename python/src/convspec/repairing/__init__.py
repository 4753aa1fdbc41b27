"""Repair of damaged files."""

from convspec.repairing.files import CannotRepair, NewerVersion, repair
from convspec.repairing.outcome import Repair
from convspec.repairing.steps import Step

__all__ = ["CannotRepair", "NewerVersion", "Repair", "Step", "repair"]
