#!/usr/bin/env python3
"""Prints the copyright file of what a build has linked together: ours, and each licence that came along.

    Packaging/licences.py BUILD PRODUCT ...

BUILD is SwiftPM's folder, such as .build. Which code is in a product says the linker's own list of object files; whose it is
says the checkout that has a folder of the module's name. A module that is neither ours nor in a checkout is an error.
"""

import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build, *products = sys.argv[1:]
build = Path(build)
release = build / "release"


def modules(product: str) -> set[str]:
    listed = (release / f"{product}.product/Objects.LinkFileList").read_text()
    return set(re.findall(r"/(\w[\w-]*)\.build/", listed.replace(str(build.resolve()), "")))


def holds(*texts: str) -> bool:
    """Whether a product has a symbol that contains one of these."""
    for product in products:
        program = next(p for p in (release / product, release / f"lib{product}.so") if p.exists())
        symbols = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout
        if any(text in symbols for text in texts):
            return True
    return False


def shortened(text: str) -> str:
    """Debian has the Apache License on every machine; what a licence adds to it stays."""
    if "Apache License" not in text or "TERMS AND CONDITIONS" not in text:
        return text.strip()
    _, _, exception = text.partition("## Runtime Library Exception")
    said = "Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0"
    return said + (f"\n\nRuntime Library Exception{exception.rstrip()}" if exception else "")


def comments(folder: Path) -> set[str]:
    """The licences at the head of C files that are others' than the checkout's."""
    found = set()
    for file in folder.rglob("*.[ch]"):
        head = re.match(r"\s*/\*(.*?)\*/", file.read_text(errors="replace"), re.DOTALL)
        if head and re.search("Redistribution and use|This software is provided 'as-is'", head[1]):
            lines = [re.sub(r"^[ \t]*\*? ?", "", line).rstrip() for line in head[1].splitlines()]
            found.add("\n".join(line for line in lines if not line.startswith("$")).strip())
    return found


linked = set().union(*(modules(product) for product in products))
checkouts = sorted(path for path in (build / "checkouts").iterdir() if path.is_dir())
ours = {path.name for wing in [root / "Sources", root / "Server/Sources"] for path in wing.rglob("*") if path.is_dir()}
parts: dict[str, list[str]] = {}
unknown = []
for module in sorted(linked):
    if module in ours or module.replace("_", "-") in ours:
        continue
    holders = [c for c in checkouts if (c / "Sources" / module).is_dir()] or [
        c for c in checkouts if (c / module).is_dir() or re.search(rf'name: "{module}"', (c / "Package.swift").read_text())
    ]
    if not holders:
        unknown.append(module)
        continue
    checkout = holders[0]
    texts = parts.setdefault(checkout.name, [])
    folder = checkout / "Sources" / module
    own = [path for path in [*checkout.iterdir(), *(folder.rglob("*") if folder.is_dir() else [])]
           if re.fullmatch(r"(LICENSE|NOTICE|COPYING)(\.(txt|md))?", path.name)]
    for text in [*(shortened(path.read_text()) for path in sorted(own)), *sorted(comments(folder))]:
        if text not in texts:
            texts.append(text)
if unknown:
    sys.exit(f"{sys.argv[0]}: no checkout has {', '.join(unknown)}, which {', '.join(products)} linked")

if "CNIOBoringSSL" in linked:
    parts["BoringSSL, in swift-nio-ssl"] = [
        "Copyright 1995-2025 The OpenSSL Project Authors, Google Inc. and others\n\n" + shortened("Apache License TERMS AND CONDITIONS"),
        "It has fiat-crypto in it, copyright 2015-2020 the fiat-crypto authors, under the same licence.",
    ]
swift = [
    "Copyright 2014-2026 Apple Inc. and the Swift project authors",
    shortened((Path(subprocess.run(["bash", "-c", 'readlink -f "$(command -v "${SWIFT:-swift}")"'], capture_output=True,
                                   text=True, check=True).stdout.strip()).parent.parent / "share/swift/LICENSE.txt").read_text()),
]
parts["Swift: its standard library" + (", Foundation and libdispatch" if holds("$s10Foundation") else "")] = swift
if holds("uidna_open", "uloc_getDefault", "ucal_open"):
    parts["ICU, in Foundation"] = [(root / "Packaging/licences/Unicode-3.0.txt").read_text().strip()]
if holds("fftwf_"):
    dynamic = any("libfftw3" in subprocess.run(["readelf", "-d", str(next(p for p in (release / x, release / f"lib{x}.so")
                  if p.exists()))], capture_output=True, text=True, check=True).stdout for x in products)
    parts["FFTW, " + ("which the programs load" if dynamic else "linked in")] = [
        "Copyright 2003, 2007-14 Matteo Frigo, and Massachusetts Institute of Technology",
        "GNU General Public License, version 2 or later: /usr/share/common-licenses/GPL-2. "
        "So these files are under the GPL when you pass them on. `make packages FFTW=0` makes them without FFTW.",
    ]

print(f"""Earshot
=======

Copyright 2026 the Earshot contributors

{shortened((root / "LICENSE").read_text())}

The programs and libraries in this package have code of others in them, under these licences:""")
for name, texts in parts.items():
    print(f"\n\n{name}\n{'-' * len(name)}\n\n" + "\n\n".join(texts))
