#!/usr/bin/env python3
"""Checks which module may use which, by the manifest and the sources. docs/DESIGN.md has the reasons.

    scripts/arrows.py            complain, and exit 1, about an arrow that must not exist
    scripts/arrows.py --list     print each module with what it imports and what its programs link
"""
import json
import os
import re
import subprocess
import sys

SOUND = {"CALSA", "CSndFile", "CFFTW3"}
MODEM = {"EarshotDSP", "EarshotModem", "EarshotChannel"}
# The modules of a wing, or one module, and the modules that they must not reach.
FORBIDDEN = [
    ("Modem", {"CALSA", "CCrypto", "CSndFile", "CSystemd", "EarshotSystem", "NearbyWire"}),
    ("Desktop", SOUND | MODEM | {"EarshotAudio", "EarshotSound"}),
    ("EarshotDiscovery", SOUND | MODEM | {"CCrypto", "CSystemd", "EarshotSystem", "NearbyWire"}),
    ("EarshotBluetooth", SOUND | MODEM | {"EarshotAudio", "EarshotSound"}),
    ("EarshotMessages", SOUND | MODEM | {"CSystemd", "EarshotAudio", "EarshotSound", "EarshotBluetooth"}),
    ("NearbyWire", SOUND | MODEM | {"CCrypto", "CSystemd", "EarshotDiscovery", "EarshotMessages"}),
    ("NetworkExtension", SOUND | MODEM | {"EarshotAudio", "EarshotSound"}),
    # CallKit plays a ring tone.
    ("CallKit", {"CFFTW3", "EarshotSound"} | MODEM),
    ("earshot", {"CSystemd", "EarshotDiscovery", "EarshotMessages", "NearbyWire"}),
    ("earshot-agent", SOUND | MODEM | {"EarshotAudio", "EarshotSound"}),
]
# The performance core uses no file, device, clock, thread or log.
CORE_IMPORTS = {"Synchronization"}


def main():
    os.chdir(os.path.join(os.path.dirname(__file__), ".."))
    swift = os.environ.get("SWIFT", "swift")
    package = json.loads(subprocess.check_output([swift, "package", "describe", "--type", "json"]))
    targets = {target["name"]: target for target in package["targets"] if target["path"].startswith("Sources/")}

    def reach(name, seen):
        for dependency in targets[name].get("target_dependencies", []):
            if dependency not in seen:
                seen.add(dependency)
                reach(dependency, seen)
        return seen

    if "--list" in sys.argv[1:]:
        for name, target in sorted(targets.items(), key=lambda item: item[1]["path"]):
            direct = " ".join(sorted(target.get("target_dependencies", []))) or "-"
            libraries = " ".join(sorted(c for c in reach(name, set()) if c in SOUND | {"CSystemd", "CMalloc"})) or "-"
            print(f"{target['path'][8:]:<34} {direct}   [{libraries}]")
        return 0

    complaints = []
    names = {name for name, _ in FORBIDDEN}
    wings = {target["path"].split("/")[1] for target in targets.values()}
    complaints += [f"scripts/arrows.py names {name}, which is neither a wing nor a module" for name in names - wings - set(targets)]
    for subject, forbidden in FORBIDDEN:
        for name, target in targets.items():
            if subject in (name, target["path"].split("/")[1]):
                for wrong in sorted(reach(name, set()) & forbidden):
                    complaints.append(f"{name} reaches {wrong}, and must not")
    for name, target in targets.items():
        if not target["path"].startswith("Sources/Modem/"):
            continue
        for source in target["sources"]:
            if not source.endswith(".swift"):
                continue
            text = open(os.path.join(target["path"], source), encoding="utf-8").read()
            for module in re.findall(r"^(?:\w+ )?import (?:\w+ )?(\w+)", text, re.M):
                if module not in CORE_IMPORTS and module not in targets and module != "RealModule":
                    complaints.append(f"{target['path']}/{source} imports {module}: the core knows no system")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
