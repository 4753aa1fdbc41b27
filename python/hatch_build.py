"""Put the top-level `schema` folder, which is the only copy, into the wheel and the sdist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SchemaHook(BuildHookInterface[Any]):
    """Includes the schemas as `convspec/_data/schema` (wheel) or `schema` (sdist)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Find the schemas: in an sdist beside PKG-INFO, in a checkout one folder up."""
        if version == "editable":
            return  # the checkout itself is read
        root = Path(self.root)
        source = root / "schema" if (root / "PKG-INFO").is_file() else root.parent / "schema"
        if not (source / "rules.json").is_file():
            raise FileNotFoundError(f"the schemas are not at {source}")
        target = "convspec/_data/schema" if self.target_name == "wheel" else "schema"
        build_data["force_include"][str(source)] = target
