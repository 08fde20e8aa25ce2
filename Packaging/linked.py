"""Whose code a build has linked into its products: what licences.py and sbom.py print.

Which code is in a product says the linker's own list of object files; whose it is says the checkout that has a folder of the module's
name. A module that is neither ours nor in a checkout is an error.
"""

import functools
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent


def program(build: Path, product: str) -> Path:
    """The linked file of a product."""
    release = build / "release"
    return next(path for path in (release / product, release / f"lib{product}.so") if path.exists())


def modules(build: Path, product: str) -> set[str]:
    listed = (build / "release" / f"{product}.product/Objects.LinkFileList").read_text()
    return set(re.findall(r"/(\w[\w-]*)\.build/", listed.replace(str(build.resolve()), "")))


def checkouts(build: Path, products: list[str]) -> dict[Path, list[str]]:
    """The checkouts whose code is in one of the products, each with the modules that are."""
    linked = set().union(*(modules(build, product) for product in products))
    folders = sorted(path for path in (build / "checkouts").iterdir() if path.is_dir())
    ours = {path.name for wing in [root / "Sources", root / "Server/Sources"] for path in wing.rglob("*") if path.is_dir()}
    found: dict[Path, list[str]] = {}
    unknown = []
    for module in sorted(linked):
        if module in ours or module.replace("_", "-") in ours:
            continue
        holders = [c for c in folders if (c / "Sources" / module).is_dir()] or [
            c for c in folders if (c / module).is_dir() or re.search(rf'name: "{module}"', (c / "Package.swift").read_text())
        ]
        if holders:
            found.setdefault(holders[0], []).append(module)
        else:
            unknown.append(module)
    if unknown:
        sys.exit(f"{sys.argv[0]}: no checkout has {', '.join(unknown)}, which {', '.join(products)} linked")
    return found


@functools.cache
def symbols(file: Path) -> str:
    return subprocess.run(["nm", str(file)], capture_output=True, text=True, check=True).stdout


def holds(build: Path, products: list[str], *texts: str) -> bool:
    """Whether a product has a symbol that contains one of these."""
    return any(text in symbols(program(build, product)) for product in products for text in texts)


def needed(file: Path) -> list[str]:
    """The libraries that a program or a library loads."""
    read = subprocess.run(["readelf", "-d", str(file)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", read)


def toolchain() -> Path:
    """The folder that has the compiler's `bin`."""
    found = subprocess.run(["bash", "-c", 'readlink -f "$(command -v "${SWIFT:-swift}")"'], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()).parent.parent
