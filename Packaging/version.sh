#!/usr/bin/env bash
# Prints the version, and fails if the parts of the project say different ones.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -nE 's/^#define EARSHOT_VERSION "(.*)"$/\1/p' Sources/Bindings/CEarshot/earshot.h)
says() {
    grep -qE "$2" "$1" || { echo "$1 does not say version $version, as earshot.h does" >&2; exit 1; }
}
escaped=${version//./\\.}
says Sources/Bindings/EarshotC/Status.swift "constantText\(\"$escaped\"\)"
says Sources/Programs/EarshotConsole/ProgramVersion.swift "\"earshot $escaped\""
says Server/Sources/EarshotServer/EarshotServer.swift "version = \"$escaped\""
says Bindings/python/pyproject.toml "^version = \"$escaped\""
says Bindings/web/npm/package.json "^  \"version\": \"$escaped\","
says CHANGELOG.md "^## \[$escaped\] - ([0-9]{4}-[0-9]{2}-[0-9]{2}|unreleased)$"
echo "$version"
