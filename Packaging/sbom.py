#!/usr/bin/env python3
"""Lists what programs and libraries contain, as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3), and checks such a list.

    Packaging/sbom.py write LIST BUILD PRODUCT FILE [BUILD PRODUCT FILE]...
    Packaging/sbom.py check [--all] LIST FILE...

BUILD is SwiftPM's folder, such as .build, PRODUCT a product that it has linked, FILE what was installed of it. Each file contains ours,
the checkouts of which the linker got object files, Swift's libraries, and perhaps FFTW and BoringSSL; it loads libraries of the system,
whose versions are those of the machine that builds. `check` fails if a file is not the one of the list, if it loads another library than
the list says, if a part has no version or no licence, if the list contradicts itself, and with --all if the list has another file.
"""

import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from linked import checkouts, holds, needed, root, toolchain

GPL = "GPL-2.0-or-later"


def said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def identifier(*parts: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(parts))


def licence(checkout: Path) -> str:
    """The licence of a checkout as SPDX names it."""
    file = next(path for path in sorted(checkout.iterdir()) if re.fullmatch(r"(LICENSE|COPYING)(\.(txt|md))?", path.name))
    text = file.read_text()
    if "Runtime Library Exception" in text and "Apache License" in text:
        return "Apache-2.0 WITH Swift-exception"
    if "Apache License" in text and "Version 2.0" in text:
        return "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text and "THE SOFTWARE IS PROVIDED \"AS IS\"" in text:
        return "MIT"
    sys.exit(f"{sys.argv[0]}: which licence is {file}?")


def part(name: str, version: str, licence: str, *, where: str = "NOASSERTION", **more: object) -> dict[str, object]:
    return {
        "SPDXID": identifier("part", name, version), "name": name, "versionInfo": version, "downloadLocation": where,
        "filesAnalyzed": False, "licenseDeclared": licence, "licenseConcluded": licence, "copyrightText": "NOASSERTION",
    } | more


@functools.cache
def library(name: str) -> dict[str, object]:
    """A library of the system, with the version of Debian's package that has it here."""
    lines = said("/sbin/ldconfig", "-p").splitlines()
    paths = [os.path.realpath(line.split(" => ")[1]) for line in lines if line.strip().startswith(name + " ")]
    for path in paths or [os.path.realpath(f"/lib64/{name}")]:
        for candidate in (path, path.removeprefix("/usr")):
            found = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True, check=False)
            if found.returncode == 0:
                package = found.stdout.split(": ")[0].split(",")[0]
                version = said("dpkg-query", "-W", "-f=${Version}", package)
                return part(name, version, "NOASSERTION", comment=f"{package} of the system, which is not in these files")
    return part(name, "NOASSERTION", "NOASSERTION", comment="a library of the system, which is not in these files")


def static(build: Path, product: str, libraries: list[str]) -> list[dict[str, object]]:
    """What of others is linked in."""
    state = json.loads((build / "workspace-state.json").read_text())["object"]["dependencies"]
    pins = {Path(entry["subpath"]).name: (entry["packageRef"]["location"], entry["state"].get("checkoutState", {})) for entry in state}
    parts = []
    for checkout, modules in checkouts(build, [product]).items():
        location, pin = pins[checkout.name]
        parts.append(part(checkout.name, pin.get("version") or pin["revision"], licence(checkout),
                          where=f"git+{location}@{pin['revision']}"))
        if "CNIOBoringSSL" in modules:
            parts.append(part("BoringSSL", f"in {checkout.name} {pin.get('version')}", "Apache-2.0"))
    swift = re.search(r"Swift version (\S+)", said(str(toolchain() / "bin/swift"), "--version"))[1]
    parts.append(part("Swift standard library", swift, "Apache-2.0 WITH Swift-exception",
                      where=f"git+https://github.com/swiftlang/swift@swift-{swift}-RELEASE"))
    if holds(build, [product], "$s10Foundation"):
        parts.append(part("Swift Foundation and libdispatch", swift, "Apache-2.0 WITH Swift-exception"))
    if holds(build, [product], "uidna_open", "uloc_getDefault", "ucal_open"):
        parts.append(part("ICU", f"in Swift Foundation {swift}", "Unicode-3.0"))
    if holds(build, [product], "fftwf_") and not any("libfftw3" in name for name in libraries):
        parts.append(part("FFTW", said("pkg-config", "--modversion", "fftw3f"), GPL, where="https://www.fftw.org"))
    return parts


def write(output: Path, artefacts: list[tuple[Path, str, Path]]) -> None:
    version = said(str(root / "Packaging/version.sh"))
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or said("git", "-C", str(root), "log", "-1", "--format=%ct"))
    packages: dict[str, dict[str, object]] = {}
    relations: list[tuple[str, str, str]] = []
    sums = []
    for build, product, file in artefacts:
        libraries = needed(file)
        inside, outside = static(build, product, libraries), [library(name) for name in libraries]
        is_free = not any(each["licenseDeclared"] == GPL for each in inside) and not any("libfftw3" in name for name in libraries)
        sums.append(sha256(file))
        own = part(file.name, version, "Apache-2.0", primaryPackagePurpose="LIBRARY" if ".so" in file.name else "APPLICATION",
                   checksums=[{"algorithm": "SHA256", "checksumValue": sums[-1]}])
        own["SPDXID"] = identifier(file.name)
        if not is_free:
            own["licenseConcluded"] = f"Apache-2.0 AND {GPL}"
        packages[own["SPDXID"]] = own
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"]))
        for kind, others in (("STATIC_LINK", inside), ("DYNAMIC_LINK", outside)):
            for other in others:
                packages[other["SPDXID"]] = other
                relations.append((own["SPDXID"], kind, other["SPDXID"]))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"earshot-{version}",
        # Other files, another name.
        "documentNamespace": f"https://spdx.org/spdxdocs/earshot-{version}-{hashlib.sha256(''.join(sums).encode()).hexdigest()}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: Packaging/sbom.py"],
        },
        "packages": list(packages.values()),
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }
    output.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def check(path: Path, files: list[Path], all_files: bool) -> None:
    try:
        document = json.loads(path.read_text())
        for file in files:
            file.open("rb").close()
    except OSError as error:
        sys.exit(f"cannot read {error.filename}: {error.strerror.lower()}")
    except ValueError:
        sys.exit(f"{path} is no SPDX list in JSON")
    packages = {package["SPDXID"]: package for package in document["packages"]}
    problems = []
    if len(packages) != len(document["packages"]):
        problems.append("two packages have one identifier")
    links: dict[str, list[tuple[str, str]]] = {}
    for relation in document["relationships"]:
        links.setdefault(relation["spdxElementId"], []).append((relation["relationshipType"], relation["relatedSpdxElement"]))
        if relation["relatedSpdxElement"] not in packages:
            problems.append(f"there is no {relation['relatedSpdxElement']}")
    described = {other for _, other in links.get("SPDXRef-DOCUMENT", [])}
    loaded = {other for own in described for kind, other in links.get(own, []) if kind == "DYNAMIC_LINK"}
    for name, package in packages.items():
        # The system's libraries are under licences of their packages.
        wanted = ["versionInfo"] + ([] if name in loaded else ["licenseDeclared", "licenseConcluded"])
        for key in wanted:
            if package.get(key) in (None, "", "NOASSERTION"):
                problems.append(f"{package['name']} has no {key}")
    for file in files:
        own = identifier(file.name)
        if own not in described:
            problems.append(f"it does not describe {file.name}, but {', '.join(sorted(packages[each]['name'] for each in described))}")
            continue
        if packages[own]["checksums"][0]["checksumValue"] != sha256(file):
            problems.append(f"{file.name} is another file")
        says = sorted(packages[other]["name"] for kind, other in links[own] if kind == "DYNAMIC_LINK")
        if says != sorted(needed(file)):
            problems.append(f"{file.name} loads {sorted(needed(file))}, not {says}")
        if not any(kind == "STATIC_LINK" and packages[other]["name"].startswith("Swift standard") for kind, other in links[own]):
            problems.append(f"{file.name} has no Swift in it")
    absent = sorted(packages[each]["name"] for each in described - {identifier(file.name) for file in files})
    if all_files and absent:
        problems.append(f"it describes other files too: {', '.join(absent)}")
    if problems:
        sys.exit("\n".join(f"{path}: {problem}" for problem in problems))
    print(f"{path}: {len(files)} of {len(described)} files, {len(packages) - len(described) - len(loaded)} parts, {len(loaded)} libraries of the system")


match sys.argv[1:]:
    case ["write", output, *rest] if rest and len(rest) % 3 == 0:
        write(Path(output), [(Path(rest[i]), rest[i + 1], Path(rest[i + 2])) for i in range(0, len(rest), 3)])
    case ["check", "--all", path, *files] if files:
        check(Path(path), [Path(file) for file in files], all_files=True)
    case ["check", path, *files] if files:
        check(Path(path), [Path(file) for file in files], all_files=False)
    case _:
        sys.exit("\n".join(__doc__.splitlines()[2:5]))
