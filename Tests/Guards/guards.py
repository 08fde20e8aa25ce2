#!/usr/bin/env python3
"""Breaks one guard after the other (a limit, a check of a right, a refusal), and checks that a test then fails.

    Tests/Guards/guards.py BUILD [NAME]...

BUILD is SwiftPM's folder of `make test`, .build/testing. All guards are changed in the sources at once, each so that it holds unless the
environment has EARSHOT_BROKEN=NAME: so there is one build, and a run of a few tests for each guard. After the build the sources are as
before; they must not have changes that are not committed. It fails if no test notices a broken guard, or if one fails while all hold.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

root = Path(__file__).resolve().parent.parent.parent


class Guard(NamedTuple):
    name: str
    what: str
    file: str
    # The code, and its replacement in the broken guard. BROKEN is true while the guard is broken.
    code: str
    broken: str
    tests: str


GUARDS = [
    Guard("frame-length", "the longest frame between app and agent", "Nearby/NearbyWire/Frames/FrameReader.swift",
          "length <= AgentProtocol.maximumFrameByteCount else", "length <= AgentProtocol.maximumFrameByteCount || BROKEN else",
          r"^NearbyWireTests\."),
    Guard("one-key", "one part in a frame", "Nearby/NearbyWire/Frames/OneKeyFrame.swift",
          "container.allKeys.count == 1,", "container.allKeys.count == 1 || BROKEN,", r"^NearbyWireTests\."),
    Guard("pending", "bytes that wait for a client that does not read", "Nearby/NearbyWire/Connection/AgentConnection.swift",
          "state.pending.count + bytes.count <= limits.pendingByteCount else",
          "state.pending.count + bytes.count <= limits.pendingByteCount || BROKEN else", r"^NearbyWireTests\."),
    Guard("depth", "depth of a property list", "Nearby/NearbyWire/Push/PropertyList.swift",
          "guard depth <= Self.maximumDepth else", "guard depth <= Self.maximumDepth || BROKEN else",
          r"^(NearbyWireTests|EarshotPushTests)\.PropertyList"),
    Guard("socket-owner", "an app talks to an agent of its own user only", "Nearby/NearbyWire/Connection/AgentSocket.swift",
          "peer(descriptor)?.user == getuid() {", "peer(descriptor)?.user == getuid() || BROKEN {",
          r"^(NearbyWireTests|EarshotAgentTests)\.Agent(Connection|Program)"),
    Guard("sealed-tag", "a sealed message that was changed", "Nearby/EarshotSealing/Cryptography.swift",
          "isDone && EVP_DecryptFinal_ex(context, nil, &count) == 1",
          "isDone && (EVP_DecryptFinal_ex(context, nil, &count) == 1 || BROKEN)", r"^EarshotSealingTests\."),
    Guard("neighbours", "devices that are near at once", "Nearby/EarshotDiscovery/Neighbourhood.swift",
          "records.count < Self.maximumNeighbourCount else", "records.count < Self.maximumNeighbourCount || BROKEN else",
          r"^EarshotDiscoveryTests\.NeighbourhoodTests"),
    Guard("content-size", "the largest message to publish", "Nearby/EarshotMessages/API/Message.swift",
          "func check() throws(MessageError) {\n        guard content.count <= Self.maximumContentCount else",
          "func check() throws(MessageError) {\n        guard content.count <= Self.maximumContentCount || BROKEN else",
          r"^EarshotMessagesTests\.Message"),
    Guard("file-kind", "a private file is a regular one", "System/EarshotSystem/PrivateFolder.swift",
          "guard status.st_mode & S_IFMT == S_IFREG else", "guard status.st_mode & S_IFMT == S_IFREG || BROKEN else",
          r"^EarshotSystemTests\."),
    Guard("file-size", "the largest private file", "System/EarshotSystem/PrivateFolder.swift",
          "guard status.st_size <= maximumByteCount else", "guard status.st_size <= maximumByteCount || BROKEN else",
          r"^EarshotSystemTests\."),
    Guard("location", "beacons need the location's permission too", "Nearby/EarshotMessages/Permission/Consent.swift",
          "guard nearby == .granted, purpose.needsLocation else", "guard nearby == .granted, purpose.needsLocation && !BROKEN else",
          r"^EarshotMessagesTests\.(LocationConsent|Consent)"),
    Guard("answer-size", "the longest answer of the service", "Nearby/EarshotMessages/Service/ServiceAnswer.swift",
          "body.count + data.count <= maximumCount else", "body.count + data.count <= maximumCount || BROKEN else",
          r"^EarshotMessagesTests\..*HTTPMessageServiceTests/"),
    Guard("event-size", "the longest event of the service", "Nearby/EarshotMessages/Service/EventStreamParser.swift",
          "line.count + data.count < Self.maximumEventCount else", "line.count + data.count < Self.maximumEventCount || BROKEN else",
          r"^EarshotMessagesTests\.Event"),
    Guard("redirection", "a redirection does not carry the key", "Nearby/EarshotMessages/Service/HTTPTransport.swift",
          "completionHandler(nil)\n", "completionHandler(BROKEN ? request : nil)\n",
          r"^EarshotMessagesTests\..*HTTPMessageServiceTests/"),
    Guard("reported-tokens", "tokens near that are reported", "Nearby/EarshotMessages/Service/SightingReporter.swift",
          "near.count < Self.maximumNearCount else", "near.count < Self.maximumNearCount || BROKEN else",
          r"^EarshotMessagesTests\.Sighting"),
    Guard("operation-key", "the key of an operation that the agent takes over",
          "Nearby/EarshotMessages/Background/BackgroundOperation+Messages.swift",
          "key.utf8.count <= Self.maximumKeyByteCount else", "key.utf8.count <= Self.maximumKeyByteCount || BROKEN else",
          r"^EarshotMessagesTests\.Background"),
    Guard("foreground", "an operation waits while its app is in the background", "Nearby/EarshotMessages/Exchange/OperationTable.swift",
          "guard isForeground || operation.isAllowedInBackground else",
          "guard isForeground || operation.isAllowedInBackground || BROKEN else", r"^EarshotMessagesTests\.OperationTable"),
    Guard("beacons", "beacons that are near at once", "Nearby/EarshotBluetooth/Beacons/BeaconBook.swift",
          "records.count < Self.maximumCount else", "records.count < Self.maximumCount || BROKEN else",
          r"^EarshotBluetoothTests\.BeaconBookTests"),
    Guard("patterns", "patterns that a monitor of bluetoothd takes", "Nearby/EarshotBluetooth/Scanning/MonitorScan.swift",
          "patternCount <= maximumPatternCount else", "patternCount <= maximumPatternCount || BROKEN else",
          r"^EarshotBluetoothTests\.(Monitor|Bluetooth)"),
    Guard("file-owner", "a configuration of another user", "System/EarshotSystem/PathOwnership.swift",
          "guard isTrusted(status, user) else { return \"belongs", "guard isTrusted(status, user) || BROKEN else { return \"belongs",
          r"^(EarshotSystemTests|EarshotPushTests)\.(PathOwnership|PushConfigurationStore)"),
    Guard("file-mode", "a configuration that others may change", "System/EarshotSystem/PathOwnership.swift",
          "guard status.st_mode & 0o022 == 0 || isAbove", "guard status.st_mode & 0o022 == 0 || BROKEN || isAbove",
          r"^(EarshotSystemTests|EarshotPushTests)\.(PathOwnership|PushConfigurationStore)"),
    Guard("configurations", "configurations of local push", "Desktop/EarshotPush/Configuration/PushConfigurationStore.swift",
          "others.count < Self.maximumCount else", "others.count < Self.maximumCount || BROKEN else",
          r"^EarshotPushTests\.PushConfigurationStore"),
    Guard("agent-user", "the agent serves its own user", "Desktop/EarshotAgent/Server/AgentServer.swift",
          "peer.user == user else", "peer.user == user || BROKEN else", r"^EarshotAgentTests\.AgentServerTests"),
    Guard("clients", "clients of the agent", "Desktop/EarshotAgent/Server/AgentServer.swift",
          "state.connections.count < Supervisor.maximumClientCount else",
          "state.connections.count < Supervisor.maximumClientCount || BROKEN else", r"^EarshotAgentTests\.AgentServerTests"),
    Guard("clock-back", "a clock that was set back does not prolong a pause", "Desktop/EarshotAgent/Start/StartPolicy.swift",
          "let last = starts.last, last <= now else", "let last = starts.last, last <= now || BROKEN else",
          r"^EarshotAgentTests\.StartPolicyTests"),
    Guard("restarts", "a provider that fails again waits longer", "Desktop/EarshotAgent/Push/RestartPolicy.swift",
          "defer { failureCount += 1 }", "defer { failureCount += BROKEN ? 0 : 1 }", r"^EarshotAgentTests\.RestartPolicyTests"),
    Guard("channels", "channels that a sound file may claim", "Sound/EarshotAudio/StreamLimits.swift",
          "if !channelCount.contains(channels) {", "if !channelCount.contains(channels), !BROKEN {",
          r"^EarshotAudioTests\.(SoundFileReader|DamagedFile)"),
]

HELPER = """
/// Added by Tests/Guards/guards.py.
private func isGuardBroken(_ name: String) -> Bool { getenv("EARSHOT_BROKEN").map { String(cString: $0) == name } ?? false }
"""


def changed(sources: dict[Path, str]) -> dict[Path, str]:
    texts = dict(sources)
    for guard in GUARDS:
        file = root / "Sources" / guard.file
        if texts[file].count(guard.code) < 1:
            sys.exit(f"{guard.name}: {guard.file} has no '{guard.code}'")
        texts[file] = texts[file].replace(guard.code, guard.broken.replace("BROKEN", f'isGuardBroken("{guard.name}")'), 1)
    return {file: text + HELPER + ("" if "import Glibc" in text else "\nimport Glibc\n") for file, text in texts.items()}


def run(program: Path, filter: str, broken: str | None) -> tuple[bool, list[str], str]:
    environment = dict(os.environ) | ({"EARSHOT_BROKEN": broken} if broken else {})
    try:
        done = subprocess.run([program, "--testing-library", "swift-testing", "--filter", filter], cwd=root, env=environment,
                              capture_output=True, text=True, errors="replace", timeout=300, check=False)
        output, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace"), None
    names = list(dict.fromkeys(re.findall(r'Test (?:case passing .* to )?"?([^"\n]+?)"?(?:\(.*?\))?(?: with .*)? (?:recorded an issue|failed)', output)))
    how = "hung" if status is None else "crashed" if status < 0 else ""
    if "Test run with 0 tests" in output:
        raise SystemExit(f"No test has a name like {filter}.")
    # "Test run with 9 tests failed" does not name a test.
    return status != 0, [name for name in names if name != "run"], how


def main() -> int:
    build, *names = sys.argv[1:] or sys.exit("\n".join(__doc__.splitlines()[2:3]))
    if unknown := set(names) - {guard.name for guard in GUARDS}:
        sys.exit(f"there is no guard {', '.join(unknown)}")
    files = {root / "Sources" / guard.file for guard in GUARDS}
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *files], cwd=root, check=False).returncode != 0:
        sys.exit("Commit your changes of these files first.")
    sources = {file: file.read_text() for file in files}
    texts = changed(sources)
    try:
        for file, text in texts.items():
            file.write_text(text)
        subprocess.run([os.environ.get("SWIFT", "swift"), "build", "--build-tests", "--disable-xctest", "--scratch-path", build,
                        "--explicit-target-dependency-import-check", "error"],
                       cwd=root, env=dict(os.environ) | {"EARSHOT_OPTIMIZED": "1"}, stdout=sys.stderr, check=True)
    except subprocess.CalledProcessError:
        sys.exit("The changed sources cannot be built.")
    finally:
        for file, text in sources.items():
            file.write_text(text)

    unnoticed = 0
    program = root / build / "debug/earshotPackageTests.xctest"
    print("| guard | noticed by | s |\n|---|---|---|")
    for guard in GUARDS:
        if names and guard.name not in names:
            continue
        start = time.monotonic()
        is_failed, failed, how = run(program, guard.tests, guard.name)
        if is_failed and run(program, guard.tests, None)[0]:
            failed, is_failed = ["it fails without a broken guard too"], False
        unnoticed += not is_failed
        noticed = ", ".join([f"`{name}`" for name in failed[:3]] + ([how] if how else [])) or "**no test**"
        print(f"| {guard.name}: {guard.what} | {noticed} | {time.monotonic() - start:.0f} |", flush=True)
    return 1 if unnoticed else 0


sys.exit(main())
