#!/usr/bin/env python3
"""Breaks one guard after the other (a limit, a check of a right, a refusal), and checks that a test then fails.

    Tests/Guards/guards.py BUILD [NAME]...
    Tests/Guards/guards.py --service [NAME]...

BUILD is SwiftPM's folder of `make test`, .build/testing; the service's tests are built where `make test-server` builds them. All guards are changed in the sources at once, each so that it holds unless the
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

SERVICE_GUARDS = [
    Guard("expired-session", "a session ends", "Store/Live/Live.swift", "let device = devices[row], device.expires > now,\n            !revoked",
          "let device = devices[row], device.expires > now || BROKEN,\n            !revoked", r"\.(ClockTests|TokenTests|HTTPTests|ModelTests)"),
    Guard("revoked-key", "a revoked key opens nothing", "Store/Live/Live.swift", "!revokedKeys.contains(device.key)\n",
          "!revokedKeys.contains(device.key) || BROKEN\n", r"\.(OperatorTests|IsolationTests|TokenTests)"),
    Guard("expired-token", "a token ends", "Store/Live/Live.swift", "guard token.expires > now else { return .expired }",
          "guard token.expires > now || BROKEN else { return .expired }", r"\.(TokenTests|SightingDetailTests|ModelTests)"),
    Guard("projects", "a project does not see another one's messages", "Store/Live/Live+Matching.swift", "offer.project == wish.project,",
          "offer.project == wish.project || BROKEN,", r"\.(IsolationTests|ModelTests|MatchingTests)"),
    Guard("own-messages", "a device does not find its own message", "Store/Live/Live+Sightings.swift",
          "token.device != device else { continue }", "token.device != device || BROKEN else { continue }", r"\.(MatchingTests|ModelTests)"),
    Guard("namespaces", "a subscription finds only its namespace", "Store/Live/Live+Matching.swift",
          "publication.namespace == filter.namespace,", "publication.namespace == filter.namespace || BROKEN,", r"\.(MatchingTests|ModelTests)"),
    Guard("sightings", "tokens that a device hears", "Store/Live/Live+Sightings.swift", "heard.count + added.count <= report.perDevice else",
          "heard.count + added.count <= report.perDevice || BROKEN else", r"\.LimitTests"),
    Guard("publications", "publications of a key", "Store/Live/Live+Leases.swift",
          "guard keys[session.key]?.publications ?? 0 < order.perKey else",
          "guard keys[session.key]?.publications ?? 0 < order.perKey || BROKEN else", r"\.LimitTests"),
    Guard("subscriptions", "subscriptions of a device", "Store/Live/Live+Leases.swift", "guard alive < order.perDevice else",
          "guard alive < order.perDevice || BROKEN else", r"\.LimitTests"),
    Guard("key-subscriptions", "subscriptions of a key", "Store/Live/Live+Leases.swift",
          "guard keys[session.key]?.subscriptions ?? 0 < order.perKey else",
          "guard keys[session.key]?.subscriptions ?? 0 < order.perKey || BROKEN else", r"\.LimitTests"),
    Guard("devices", "devices of a key", "Store/Engine/Engine+Sessions.swift",
          "guard live.keys[holder.key]?.devices.count ?? 0 < order.devicesPerKey else",
          "guard live.keys[holder.key]?.devices.count ?? 0 < order.devicesPerKey || BROKEN else", r"\.LimitTests"),
    Guard("disk", "room on the disk", "Store/SQLiteStore.swift", "guard room >= minimumRoomBytes else",
          "guard room >= minimumRoomBytes || BROKEN else", r"\.(FaultTests|HealthTests)"),
    Guard("second-service", "one service for a database", "Store/DatabaseLock.swift",
          "guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else", "guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || BROKEN else",
          r"\.DaemonTests/aSecondServiceIsRefused"),
    Guard("foreign-file", "a file that is no database", "Store/DatabaseFiles.swift", "guard count == 0 || start[..<count] == header[...] else",
          "guard count == 0 || start[..<count] == header[...] || BROKEN else", r"\.DatabaseFilesTests"),
    Guard("device-key", "an owner's key opens no device", "Service/TokenService.swift",
          "guard holder.role == .device else { throw Problem.notDeviceKey }",
          "guard holder.role == .device || BROKEN else { throw Problem.notDeviceKey }", r"\.(RegistryTests|RegistryHTTPTests)"),
    Guard("sealing", "a sealed project is closed to clients that do not seal", "Service/TokenService.swift",
          "guard canSeal || holder.salt == nil else", "guard canSeal || holder.salt == nil || BROKEN else", r"\.SealedTests"),
    Guard("owner-key", "a device's key changes no beacons", "Service/TokenService.swift",
          "guard holder.role == .owner else { throw Problem.notOwner }", "guard holder.role == .owner || BROKEN else { throw Problem.notOwner }",
          r"\.(RegistryTests|RegistryHTTPTests)"),
    Guard("content", "the largest message", "Service/TokenService+Messages.swift", "guard message.content.count <= maximumCount else",
          "guard message.content.count <= maximumCount || BROKEN else", r"\.(LimitTests|HTTPTests|SealedTests)"),
    Guard("report", "tokens in a report", "Service/TokenService+Messages.swift", "guard count <= limits.tokensPerReport else",
          "guard count <= limits.tokensPerReport || BROKEN else", r"\.(LimitTests|HTTPTests|SightingBodyTests)"),
    Guard("report-keys", "wrapped keys in a report", "Service/TokenService+Messages.swift", "guard keys.count <= Sealing.keysPerReport else",
          "guard keys.count <= Sealing.keysPerReport || BROKEN else", r"\.SealedTests"),
    Guard("lifetime", "the longest life of a message", "Service/TokenService+Messages.swift",
          "guard length >= .seconds(1), length <= limits.maximumTimeToLive else",
          "guard length >= .seconds(1), length <= limits.maximumTimeToLive || BROKEN else", r"\.(LimitTests|HTTPTests|TokenTests)"),
    Guard("heard-age", "a token that was heard long ago, or in the future", "Service/TokenService+Messages.swift",
          "guard token.age >= .zero, token.age <= limits.maximumTimeToLive else",
          "guard token.age >= .zero, token.age <= limits.maximumTimeToLive || BROKEN else", r"\.(Sighting\w+|LimitTests|HTTPTests)"),
    Guard("zero", "the character NUL in a name", "Service/TokenService+Messages.swift", "guard !text.utf8.contains(0) else",
          "guard !text.utf8.contains(0) || BROKEN else", r"\.(LimitTests|HTTPTests|StoreTests|NonsenseTests|IsolationTests)"),
    Guard("rate", "requests of a key in a second", "Service/RateLimiter.swift", "return isTaken ? nil : Self.wholeSeconds(bucket)",
          "return isTaken || BROKEN ? nil : Self.wholeSeconds(bucket)", r"\.(LimitTests|HTTPTests)"),
    Guard("origin", "a web page of another origin", "HTTP/RequestSource.swift",
          "guard allowed.contains(origin) else { throw Problem.originNotAllowed }",
          "guard allowed.contains(origin) || BROKEN else { throw Problem.originNotAllowed }", r"\.(BrowserTests|OriginTests)"),
    Guard("proxies", "who may name the client's address", "HTTP/RequestSource.swift", "guard isBehindNodes || proxies.contains(peer) else",
          "guard isBehindNodes || proxies.contains(peer) || BROKEN else", r"\.LimitTests"),
    Guard("web-link", "a link that leads out of the web page's folder", "HTTP/WebFolder.swift",
          "let target = Self.resolved(path), target.hasPrefix(root + \"/\"), Self",
          "let target = Self.resolved(path), target.hasPrefix(root + \"/\") || BROKEN, Self", r"\.WebFilesTests"),
    Guard("web-hidden", "hidden files of the web page's folder", "HTTP/WebFolder.swift", "guard !entry.hasPrefix(\".\"), depth",
          "guard !entry.hasPrefix(\".\") || BROKEN, depth", r"\.WebFilesTests"),
    Guard("node", "requests that nodes forward", "HTTP/Forwarding.swift", "Secret.hash(secret) == Secret.hash(forwarder.secret) else",
          "Secret.hash(secret) == Secret.hash(forwarder.secret) || BROKEN else", r"\.NodeTests"),
]

HELPER = """
/// Added by Tests/Guards/guards.py.
private func isGuardBroken(_ name: String) -> Bool { getenv("EARSHOT_BROKEN").map { String(cString: $0) == name } ?? false }
"""


class Build(NamedTuple):
    """Where the guards' files are, and the program with the tests."""

    guards: list[Guard]
    sources: Path
    command: list[str]
    environment: dict[str, str]
    program: Path


def root_build(folder: str) -> Build:
    command = ["--build-tests", "--disable-xctest", "--scratch-path", folder]
    return Build(GUARDS, root / "Sources", command, {"EARSHOT_OPTIMIZED": "1"}, root / folder / "debug/earshotPackageTests.xctest")


def service_build() -> Build:
    command = ["--package-path", "Server", "-c", "release", "--traits", "Postgres", "--product", "earshot-serverPackageTests"]
    return Build(SERVICE_GUARDS, root / "Server/Sources/EarshotServer", command, {"EARSHOT_TESTING": "1"},
                 root / "Server/.build/release/earshot-serverPackageTests.xctest")


def changed(guards: list[Guard], folder: Path, sources: dict[Path, str]) -> dict[Path, str]:
    texts = dict(sources)
    for guard in guards:
        file = folder / guard.file
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
    where, *names = sys.argv[1:] or sys.exit("\n".join(__doc__.splitlines()[2:4]))
    build = service_build() if where == "--service" else root_build(where)
    if unknown := set(names) - {guard.name for guard in build.guards}:
        sys.exit(f"there is no guard {', '.join(unknown)}")
    files = {build.sources / guard.file for guard in build.guards}
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *files], cwd=root, check=False).returncode != 0:
        sys.exit("Commit your changes of these files first.")
    sources = {file: file.read_text() for file in files}
    texts = changed(build.guards, build.sources, sources)
    try:
        for file, text in texts.items():
            file.write_text(text)
        subprocess.run([os.environ.get("SWIFT", "swift"), "build", *build.command, "--explicit-target-dependency-import-check", "error"],
                       cwd=root, env=dict(os.environ) | build.environment, stdout=sys.stderr, check=True)
    except subprocess.CalledProcessError:
        sys.exit("The changed sources cannot be built.")
    finally:
        for file, text in sources.items():
            file.write_text(text)

    unnoticed = 0
    print("| guard | noticed by | s |\n|---|---|---|")
    for guard in build.guards:
        if names and guard.name not in names:
            continue
        start = time.monotonic()
        is_failed, failed, how = run(build.program, guard.tests, guard.name)
        if is_failed and run(build.program, guard.tests, None)[0]:
            failed, is_failed = ["it fails without a broken guard too"], False
        unnoticed += not is_failed
        noticed = ", ".join([f"`{name}`" for name in failed[:3]] + ([how] if how else [])) or "**no test**"
        print(f"| {guard.name}: {guard.what} | {noticed} | {time.monotonic() - start:.0f} |", flush=True)
    return 1 if unnoticed else 0


sys.exit(main())
