#!/usr/bin/env python3
"""Prints the copyright file of what a build has linked together: ours, and each licence that came along.

    Packaging/licences.py BUILD PRODUCT ...

BUILD is SwiftPM's folder, such as .build.
"""

import re
import sys
from pathlib import Path

from linked import checkouts, holds, needed, program, root, toolchain

build = Path(sys.argv[1])
products = sys.argv[2:]


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


parts: dict[str, list[str]] = {}
linked = checkouts(build, products)
for checkout, modules in linked.items():
    texts = parts.setdefault(checkout.name, [])
    for module in modules:
        folder = checkout / "Sources" / module
        own = [path for path in [*checkout.iterdir(), *(folder.rglob("*") if folder.is_dir() else [])]
               if re.fullmatch(r"(LICENSE|NOTICE|COPYING)(\.(txt|md))?", path.name)]
        for text in [*(shortened(path.read_text()) for path in sorted(own)), *sorted(comments(folder))]:
            if text not in texts:
                texts.append(text)

if any("CNIOBoringSSL" in modules for modules in linked.values()):
    parts["BoringSSL, in swift-nio-ssl"] = [
        "Copyright 1995-2025 The OpenSSL Project Authors, Google Inc. and others\n\n" + shortened("Apache License TERMS AND CONDITIONS"),
        "It has fiat-crypto in it, copyright 2015-2020 the fiat-crypto authors, under the same licence.",
    ]
swift = [
    "Copyright 2014-2026 Apple Inc. and the Swift project authors",
    shortened((toolchain() / "share/swift/LICENSE.txt").read_text()),
]
parts["Swift: its standard library" + (", Foundation and libdispatch" if holds(build, products, "$s10Foundation") else "")] = swift
if holds(build, products, "uidna_open", "uloc_getDefault", "ucal_open"):
    parts["ICU, in Foundation"] = [(root / "Packaging/licences/Unicode-3.0.txt").read_text().strip()]
if holds(build, products, "fftwf_"):
    dynamic = any("libfftw3" in name for product in products for name in needed(program(build, product)))
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
