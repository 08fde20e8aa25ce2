"""Marks the wheel as one for this machine: it carries libearshot.so, for any Python."""

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if not (Path(self.root) / "src/earshot/libearshot.so").is_file():
            raise FileNotFoundError("src/earshot/libearshot.so is missing; build the wheel with 'make wheel'")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
