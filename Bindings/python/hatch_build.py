"""Marks a wheel that carries libearshot.so as one for this machine. Without the library, the package uses the system's."""

import ctypes
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self.target_name == "sdist":
            return
        if (Path(self.root) / "src/earshot/libearshot.so").is_file():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
            return
        try:
            ctypes.CDLL("libearshot.so.0")
        except OSError:
            sys.exit("earshot's source needs libearshot.so.0 on this machine (Debian package libearshot0, or 'make install-c'); a wheel brings it")
