#!/usr/bin/env python3
"""Makes each call of the system fail once, in every program, and checks the program's reaction.

    Tests/Faults/faults.py FOLDER [--scenario NAME] [--call NAME] [--error NAME] [--limit N] [--quick] [--table FILE]

FOLDER holds the built programs. The service's scenarios need EARSHOTD, the path of earshotd.

A scenario is run with the first call of a kind failing, then the second, and so on until a run ends without a failure: so each
call of the run has failed with each error. `--limit` bounds the number of single steps; after it the steps grow by an eighth.
`--quick` fails the first two calls of each kind, with its first error, and leaves out what waits for real time. A run passes if the program went on and did all of its work, or
if it ended with an error that says what could not be done. The library of faults.c makes the calls fail.
"""

import argparse
import base64
import concurrent.futures
import errno
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef"
FIXTURE = ROOT / "Fixtures/token-standard-clean.48000.s16.wav"
# A program that runs longer than this hangs. The longest run without a fault takes 3 s.
TIME_LIMIT_SECONDS = 30

# The errors of each call, from its manual, except those about the file itself, such as ENOENT.
ERRORS = {
    "open": ["EACCES", "EMFILE", "ENFILE", "ENOSPC", "EROFS", "EIO", "EINTR", "ENOMEM"],
    "read": ["EIO", "EINTR", "short"],
    "write": ["ENOSPC", "EIO", "EINTR", "EPIPE", "EDQUOT", "EFBIG", "short"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT"],
    "ftruncate": ["EIO", "EINTR", "EFBIG"],
    "lseek": ["EOVERFLOW"],
    "stat": ["EACCES", "ENOMEM", "EIO"],
    "rename": ["ENOSPC", "EIO", "EACCES", "EROFS"],
    "link": ["ENOSPC", "EIO", "EACCES", "EROFS", "EMLINK"],
    "unlink": ["EIO", "EACCES", "EROFS"],
    "mkdir": ["ENOSPC", "EACCES", "EROFS"],
    "chmod": ["EIO", "EPERM"],
    "close": ["EIO", "EINTR", "ENOSPC"],
    "dup": ["EMFILE"],
    "lock": ["ENOLCK", "EINTR"],
    "mmap": ["ENOMEM", "EAGAIN", "ENODEV"],
    "malloc": ["ENOMEM"],
    "thread": ["EAGAIN"],
    "socket": ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"],
    "pipe": ["EMFILE", "ENFILE"],
    "bind": ["EADDRINUSE", "EACCES", "ENOMEM"],
    "connect": ["ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "EINTR", "EAGAIN"],
    "accept": ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ECONNABORTED", "EINTR", "EPROTO"],
    "send": ["EPIPE", "ECONNRESET", "ENOBUFS", "EINTR", "short"],
    "receive": ["ECONNRESET", "ENOMEM", "EINTR", "short"],
    "epoll": ["EMFILE", "ENFILE", "ENOMEM"],
    "watch": ["ENOMEM", "ENOSPC"],
    "wait": ["EINTR"],
    "poll": ["EINTR", "ENOMEM"],
    "eventfd": ["EMFILE", "ENOMEM"],
    "device": ["EBUSY", "ENODEV", "EACCES", "ENOMEM", "EMFILE"],
    "setup": ["EINVAL", "EBUSY", "EIO", "ENODEV", "EBADFD"],
    "frames": ["EPIPE", "ESTRPIPE", "ENODEV", "EIO", "EINTR", "short"],
}
# Swift's runtime ends a process that gets no memory or no thread, and libdispatch one that gets no descriptor for its queue of events:
# there is no error to handle.
RUNTIME_CALLS = {"malloc", "mmap", "thread", "epoll", "watch", "eventfd"}
# libdispatch counts its threads that run, SwiftNIO the processors, and each ends the process if it cannot.
RUNTIME_FILES = r" /proc/[0-9]+/(task/[0-9]+/)?stat$| /sys/fs/cgroup/"
RUNTIME_SIGNALS = {signal.SIGTRAP, signal.SIGILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS}


class Problem(Exception):
    """A mistake of a program in a run."""


class NoAnswer(Problem):
    """The program runs and does not answer. libdispatch has no error for a descriptor that the kernel does not watch (`epoll_ctl`)."""


def number(name):
    return "short" if name == "short" else str(getattr(errno, name))


def require(condition, text):
    if not condition:
        raise Problem(text)


class Fault:
    """One call that fails, for the environment of a program."""

    def __init__(self, library, folder, program, call, place, error):
        self.report = Path(folder) / "fault-report"
        self.environment = {}
        if call:
            self.environment = {
                "LD_PRELOAD": library,
                "EARSHOT_FAULT": f"{call}:{place}:{number(error)}",
                "EARSHOT_FAULT_REPORT": str(self.report),
                "EARSHOT_FAULT_PROGRAM": program,
            }

    @property
    def happened(self):
        return self.report.exists()

    @property
    def text(self):
        return self.report.read_text().strip() if self.happened else ""


class Scenario:
    """Something that a program does."""

    program = "earshot"
    # The kinds of calls that this scenario makes.
    calls = ["open", "read", "write", "fsync", "ftruncate", "lseek", "stat", "rename", "link", "unlink", "chmod", "close", "dup",
             "mmap", "thread", "wait", "poll", "malloc"]
    # Statuses, besides 0, with which the program reports success.
    done = {0}
    # Whether it waits for real time.
    is_slow = False
    # The calls whose failure may end the process, because a library has no error for it.
    runtime_calls = RUNTIME_CALLS

    def __init__(self, name, built, **values):
        self.name = name
        self.built = built
        self.baseline = None
        self.__dict__.update(values)

    def prepare(self, folder):
        pass

    def environment(self, folder):
        # A backtrace of a large program takes ten seconds.
        return {"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no", "HOME": str(folder), "TMPDIR": str(folder / "tmp"), "LC_ALL": "C.UTF-8"}

    def command(self, folder):
        raise NotImplementedError

    def input(self, folder):
        return subprocess.DEVNULL

    def run(self, folder, fault):
        """Runs the program once. Returns what it made, by name, with its status."""
        command = [str(part) for part in self.command(folder)]
        source = self.input(folder)
        piped = isinstance(source, bytes)
        try:
            done = subprocess.run(
                command, cwd=folder, env={**self.environment(folder), **fault.environment}, timeout=TIME_LIMIT_SECONDS,
                capture_output=True, **({"input": source} if piped else {"stdin": source}))
        except subprocess.TimeoutExpired as late:
            raise Problem(f"it did not end within {TIME_LIMIT_SECONDS} s: {(late.stderr or b'')[-200:]}") from None
        return {"status": done.returncode, "output": done.stdout, "error": done.stderr.decode(errors="replace"),
                "files": self.files(folder)}

    def files(self, folder):
        found = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name != "fault-report":
                found[str(path.relative_to(folder))] = path.read_bytes()
        return found

    def check(self, folder, result, before):
        """Raises Problem, or returns whether the work was done."""
        if result["status"] in self.done:
            self.check_done(result)
            return True
        self.check_error(result)
        # The final names have the old or the new content, and nothing else.
        for name, content in result["files"].items():
            allowed = [files.get(name) for files in (before, self.baseline["files"])]
            require(name in before or name in self.baseline["files"], f"it left {name} behind ({len(content)} bytes)")
            require(content in allowed, f"{name} is neither the old nor the new one ({len(content)} bytes)")
        for name in before:
            require(name in result["files"] or name not in self.baseline["files"], f"{name} is gone")
        return False

    def check_done(self, result):
        require(result["output"] == self.baseline["output"], "it ended well, and its output differs")
        require(result["files"].keys() == self.baseline["files"].keys(),
                f"it ended well, and left {sorted(result['files'].keys() ^ self.baseline['files'].keys())}")
        for name, content in result["files"].items():
            require(content == self.baseline["files"][name], f"it ended well, and {name} differs")

    def check_error(self, result):
        status = result["status"]
        # The reader of the output has ended, so the program cannot report anything.
        if status == 128 + signal.SIGPIPE and result.get("fault_error") == "EPIPE":
            return
        require(status > 0, f"it crashed: {signal.Signals(-status).name if status < 0 else status}: {result['error'][-300:]}")
        require("Fatal error" not in result["error"], f"it crashed: {result['error'][-300:]}")
        require(re.search(r"[Cc]annot|could not|cannot|There is no|not enough|No space|Error:", result["error"]),
                f"status {status} without a sentence: {result['error'][-300:]!r}")


class Encode(Scenario):
    existing = False
    target = "out.wav"

    def prepare(self, folder):
        if self.existing:
            (folder / "out.wav").write_bytes(b"old")

    def command(self, folder):
        return [self.built / "earshot", "encode", TOKEN, "-o", self.target, *(["--overwrite"] if self.existing else [])]


class Decode(Scenario):
    content = FIXTURE.read_bytes()
    # If samples are lost, the program says so, and prints the frames that it found before.
    piped = False
    name_of_file = "in.wav"

    def prepare(self, folder):
        if not self.piped:
            (folder / self.name_of_file).write_bytes(self.content)

    def input(self, folder):
        return self.content if self.piped else subprocess.DEVNULL

    def command(self, folder):
        return [self.built / "earshot", "decode", "-" if self.piped else self.name_of_file]


class Inspect(Decode):
    def command(self, folder):
        return [self.built / "earshot", "inspect", self.name_of_file, "-o", "out.svg"]


class Loopback(Scenario):
    def command(self, folder):
        return [self.built / "earshot", "loopback", "--via", "wav", "--count", "1", "--profile", "fast", "--seed", "1",
                "--keep", "out.wav", "--report", "out.svg", "--json"]


class WithDevice(Scenario):
    """Plays into ALSA's null device, or records what a file holds."""

    calls = Scenario.calls + ["device", "setup", "frames", "socket", "connect", "pipe", "eventfd"]

    def prepare(self, folder):
        (folder / "asound.conf").write_text(textwrap.dedent(f"""\
            pcm.hole {{ type null }}
            pcm.air {{ type file slave.pcm hole file /dev/null infile {folder}/in.raw format raw }}
            pcm.air16 {{ type plug slave {{ pcm air format S16_LE rate 48000 channels 1 }} }}
            """))
        samples = FIXTURE.read_bytes()[44:]
        (folder / "in.raw").write_bytes(samples)

    def environment(self, folder):
        return {**super().environment(folder), "ALSA_CONFIG_PATH": str(folder / "asound.conf")}


class Listen(WithDevice):
    done = {0, 1}

    def command(self, folder):
        return [self.built / "earshot", "listen", "--device", "air16", "--rate", "48000", "--channels", "1", "--seconds", "1.5", "--json",
                "--no-reconnect", "--report", "take"]

    def files(self, folder):
        return {name: content for name, content in super().files(folder).items() if name not in ("asound.conf", "in.raw")}

    def check(self, folder, result, before):
        files = dict(result["files"])
        recording, report = files.pop("take.wav", None), files.pop("take.json", None)
        require(not files, f"it left {sorted(files)} behind")
        if recording is not None:
            place = recording.find(b"data") + 8
            require(recording[:4] == b"RIFF" and place >= 44, "the recording has no header")
            length = struct.unpack("<I", recording[place - 4:place])[0]
            require(place + length <= len(recording), "the recording's header counts samples that are not there")
        if report is not None:
            json.loads(report)
        if result["status"] in self.done:
            require(recording is not None and report is not None, "it ended well without its two files")
            done = json.loads(report)
            whole = done["complete"] and not done["recording"]["failed"]
            require(whole or result["error"], "it lost a part of its recording without a word")
            return True
        self.check_error(result)
        return False


class Broadcast(WithDevice):
    is_slow = True

    def command(self, folder):
        return [self.built / "earshot", "broadcast", TOKEN, "--device", "hole", "--count", "1", "--profile", "fast", "--no-reconnect"]

    def check_done(self, result):
        pass


def au_of(wav):
    """The same samples as an AU file, which libsndfile reads."""
    samples = wav[44:]
    swapped = bytearray(len(samples))
    swapped[0::2], swapped[1::2] = samples[1::2], samples[0::2]
    return struct.pack(">4s5I", b".snd", 24, len(samples), 3, 48000, 1) + bytes(swapped)


# ---- The service ----


class Service(Scenario):
    """A client that publishes, reports, and ends, and a service in which a call fails. Answered changes must survive it."""

    program = "earshotd"
    calls = ["open", "read", "write", "fsync", "ftruncate", "stat", "unlink", "close", "lock", "mmap", "malloc", "thread", "socket", "bind",
             "accept", "send", "receive", "epoll", "watch", "wait", "poll", "eventfd", "chmod", "lseek"]
    # SwiftNIO ends its listener after EPROTO, and checks that no connection is being opened then.
    runtime_calls = RUNTIME_CALLS | {"accept"}
    daemon = os.environ.get("EARSHOTD", "")
    publication_count = 4
    # SQLite's files. After a crash, those that the next start needs remain.
    ours = {"db.sqlite", "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal", "db.sqlite.lock"}

    def prepare(self, folder):
        def run(*arguments):
            return subprocess.run(
                [self.daemon, *arguments, "--database", "db.sqlite"], cwd=folder, capture_output=True, check=True, text=True,
                env=self.environment(folder)).stdout.strip()

        run("project", "create", "demo", "--open")
        (folder / "key").write_text(run("key", "create", "demo"))

    def serve(self, folder, fault):
        return subprocess.Popen(
            [self.daemon, "serve", "--database", "db.sqlite", "--port", "0", "--no-operations"], cwd=folder,
            env={**self.environment(folder), **fault.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(folder / "log", "wb"))

    # The sentence with the port goes to standard output, which a fault may block.
    def port(self, folder, process, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.search(rb"listening on 127\.0\.0\.1:(\d+)", (folder / "log").read_bytes())
            if found:
                return int(found[1])
            if process.poll() is not None:
                return None
            time.sleep(0.005)
        return None

    def ask(self, port, method, path, secret, body=None):
        """The answer, or None if there was none, because a connection may always fail."""
        for _ in range(3):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            try:
                connection.request(method, path, body=None if body is None else json.dumps(body),
                                   headers={"Authorization": f"Bearer {secret}"})
                answer = connection.getresponse()
                content = answer.read()
                return answer.status, json.loads(content) if content else {}
            except TimeoutError:
                raise Problem(f"{method} {path} was not answered within 5 s") from None
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.01)
            finally:
                connection.close()
        return None, {}

    def work(self, folder, port):
        """The service's promises: identifiers that must exist, and identifiers that must have ended."""
        there, gone = {}, set()
        statuses = Counter()
        key = (folder / "key").read_text()

        def ask(*arguments):
            status, body = self.ask(port, *arguments)
            statuses[status] += 1
            require(status is None or status < 500 or body, f"{arguments[0]} {arguments[1]} answered {status} without a body")
            return status, body

        status, device = ask("POST", "/v1/devices", key, {})
        if status != 201 and status != 200:
            return there, gone, statuses, None
        secret = device["session"]
        _, subscription = ask("POST", "/v1/subscriptions", secret, {"ttl_s": 3600})
        tokens = []
        for place in range(self.publication_count):
            content = base64.b64encode(f"message {place} ".encode() * 40).decode()
            status, body = ask("POST", "/v1/publications", secret,
                               {"content": content, "ttl_s": 3600, "idempotency_key": f"key-{place}"})
            if status == 201:
                there[body["id"]] = content
                tokens.append(body["token"])
        ask("POST", "/v1/sightings", secret, {"heard": tokens, "lost": []})
        for identifier in list(there)[:1]:
            status, _ = ask("DELETE", f"/v1/publications/{identifier}", secret)
            if status in (200, 204):
                gone.add(identifier)
            # 404: an earlier attempt succeeded, and its answer was lost. Without an answer, both outcomes are possible.
            if status in (None, 200, 204, 404):
                there.pop(identifier)
        return there, gone, statuses, secret

    def run(self, folder, fault):
        process = self.serve(folder, fault)
        result = {"status": None, "output": b"", "files": {}}
        promise = ({}, set(), Counter(), None)
        try:
            port = self.port(folder, process, 10)
            if port:
                promise = self.work(folder, port)
            elif process.poll() is None:
                raise NoAnswer(f"it neither listens nor ends: {(folder / 'log').read_text()[-300:]}")
            if process.poll() is None:
                process.terminate()
            process.wait(15)
        except subprocess.TimeoutExpired:
            raise NoAnswer("it did not end within 15 s after SIGTERM") from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        result["status"] = process.returncode
        result["error"] = (folder / "log").read_text(errors="replace")
        result["promise"] = promise
        return result

    def check(self, folder, result, before):
        there, gone, statuses, secret = result["promise"]
        complete = result["status"] == 0 and set(statuses) <= {200, 201, 204}
        if result["status"] != 0:
            self.check_error(result)
        elif not complete and set(statuses) - {None}:
            # An answer other than success names the failure. For a 5xx, the service's log names it too.
            require(not any(status and status >= 500 for status in statuses) or re.search(r"error|cannot|Cannot", result["error"]),
                    f"answers {dict(statuses)}, and nothing in the log")
        self.check_promise(folder, there, gone)
        extra = {path.name for path in folder.iterdir() if path.is_file()} - {
            *self.ours, "log", "key", "fault-report"}
        require(not extra, f"it left {sorted(extra)} behind")
        return complete

    def check_promise(self, folder, there, gone):
        """Another service, without a fault, has all changes that this one answered."""
        untouched = Fault("", folder, "", "", "", "")
        process = self.serve(folder, untouched)
        try:
            require(self.port(folder, process, 10), f"the next service does not start: {(folder / 'log').read_text()[-300:]}")
            database = sqlite3.connect(f"file:{folder}/db.sqlite?mode=ro", uri=True)
            rows = dict(database.execute("SELECT identifier, content FROM publication WHERE ended_at IS NULL"))
            require(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the database is damaged")
            database.close()
            for identifier, content in there.items():
                require(identifier in rows, f"an acknowledged publication is lost ({identifier})")
                require(base64.b64encode(rows[identifier]).decode() == content, "an acknowledged publication has other content")
            for identifier in gone:
                require(identifier not in rows, "an ended publication is back")
        finally:
            process.terminate()
            process.wait(15)


class Upgrade(Service):
    """The service opens a database of version 2."""

    publication_count = 1

    def prepare(self, folder):
        source = (ROOT / "Server/Sources/EarshotServer/Store/Schema.swift").read_text()
        database = sqlite3.connect(folder / "db.sqlite")
        database.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        for version in ("1", "2"):
            text = re.search(rf'version{version} =\s*"""(.*?)"""', source, re.DOTALL)[1]
            database.executescript(text)
            database.execute("INSERT INTO grdb_migrations VALUES (?)", [version])
        later = int((time.time() + 3600) * 1000)
        database.execute("INSERT INTO project (id, name, created_at) VALUES (1, 'ours', 0)")
        database.execute("INSERT INTO api_key (id, project_id, name, hash, created_at) VALUES (1, 1, 'phones', x'00', 0)")
        database.execute("INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at) VALUES (1, 'a', 1, 1, x'01', ?)", [later])
        for place in range(50):
            database.execute(
                "INSERT INTO publication (id, identifier, device_id, key_id, project_id, namespace, type, expires_at, content_count,"
                " content) VALUES (?, ?, 1, 1, 1, '', '', ?, 5, x'68656c6c6f')", [place + 1, f"old-{place}", later])
        database.commit()
        database.close()
        (folder / "key").write_text("no-key")

    def work(self, folder, port):
        return {f"old-{place}": base64.b64encode(b"hello").decode() for place in range(50)}, set(), Counter(), None

    def check(self, folder, result, before):
        if not result["promise"][0]:
            result["promise"] = (*self.work(folder, 0)[:2], Counter(), None)
        return super().check(folder, result, before)


class Backup(Service):
    """A copy of the database appears whole or not at all."""

    def prepare(self, folder):
        super().prepare(folder)

    def run(self, folder, fault):
        try:
            done = subprocess.run([self.daemon, "backup", "copy.sqlite", "--database", "db.sqlite"], cwd=folder, capture_output=True,
                                  env={**self.environment(folder), **fault.environment}, timeout=TIME_LIMIT_SECONDS,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Problem(f"it did not end within {TIME_LIMIT_SECONDS} s") from None
        return {"status": done.returncode, "error": done.stderr.decode(errors="replace"), "output": done.stdout, "files": {}}

    def check(self, folder, result, before):
        names = {path.name for path in folder.iterdir() if path.is_file()} - {
            *self.ours, "key", "fault-report"}
        # A file that cannot be removed stays.
        left = {name for name in names if ".unfinished" in name}
        if result["fault_call"] == "unlink" and len(left) == 1:
            names -= left
        if "copy.sqlite" in names:
            copy = sqlite3.connect(f"file:{folder}/copy.sqlite?mode=ro", uri=True)
            require(copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the copy is damaged")
            require(copy.execute("SELECT count(*) FROM api_key").fetchone()[0] == 1, "the copy lacks a row")
            copy.close()
        if result["status"] == 0:
            require(names == {"copy.sqlite"}, f"it ended well, and there is {sorted(names)}")
            return True
        self.check_error(result)
        require(names <= {"copy.sqlite"}, f"it left {sorted(names)} behind")
        return False


# ---- The agent ----


class Agent(Scenario):
    """A client that hands operations over and ends some. The next agent must have all that the agent confirmed."""

    program = "earshot-agent"
    calls = ["open", "read", "write", "fsync", "rename", "unlink", "mkdir", "chmod", "stat", "close", "dup", "mmap", "malloc", "thread",
             "socket", "bind", "accept", "send", "receive", "epoll", "watch", "wait", "poll", "eventfd", "connect", "pipe"]

    def prepare(self, folder):
        (folder / "config/app").mkdir(parents=True)
        (folder / "run").mkdir()
        (folder / "config/app/app.nearby.json").write_text(
            '{"UIBackgroundModes":["bluetooth-central","bluetooth-peripheral","location"]}')
        (folder / "config/app/nearby.json").write_text('{"permission":"granted","backgroundLocation":"granted"}')
        # An operation that an earlier agent confirmed.
        fault = Fault("", folder, "", "", "", "")
        process = self.start(folder, fault)
        try:
            self.hold(self.connect(folder, process), "old")
        finally:
            process.kill()
            process.wait()

    def environment(self, folder):
        nowhere = f"unix:path={folder}/none"
        return {
            **super().environment(folder), "XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state",
            "XDG_RUNTIME_DIR": f"{folder}/run", "EARSHOT_AGENT_SOCKET": f"{folder}/run/agent.sock",
            "DBUS_SYSTEM_BUS_ADDRESS": nowhere, "DBUS_SESSION_BUS_ADDRESS": nowhere,
        }

    def start(self, folder, fault):
        return subprocess.Popen(
            [str(self.built / "earshot-agent"), "run", "--claim-time", "86400"], cwd=folder,
            env={**self.environment(folder), **fault.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(folder / "log", "wb"))

    def connect(self, folder, process, app="app"):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(5)
            try:
                link.connect(f"{folder}/run/agent.sock")
                self.send(link, {"hello": {"version": 1, **({"app": app} if app else {})}})
                if "welcome" in self.receive(link):
                    return link
            except (ConnectionError, FileNotFoundError, TimeoutError, struct.error):
                pass
            link.close()
            if process.poll() is not None:
                return None
            time.sleep(0.005)
        raise NoAnswer(f"it neither answers nor ends: {(folder / 'log').read_text()[-300:]}")

    @staticmethod
    def send(link, frame):
        content = json.dumps(frame).encode()
        link.sendall(struct.pack(">I", len(content)) + content)

    @staticmethod
    def receive(link):
        def take(count):
            content = b""
            while len(content) < count:
                part = link.recv(count - len(content))
                if not part:
                    raise ConnectionError("ended")
                content += part
            return content

        return json.loads(take(struct.unpack(">I", take(4))[0]))

    def await_frame(self, link, *names):
        while True:
            frame = self.receive(link)
            for name in names:
                if name in frame:
                    return name, frame[name]

    def hold(self, link, identifier):
        operation = {"id": identifier, "key": "key", "service": "http://127.0.0.1:9", "content": base64.b64encode(b"x" * 500).decode(),
                     "type": "", "namespace": "", "mode": 1}
        self.send(link, {"hold": {"operation": operation, "known": []}})
        return self.await_frame(link, "held", "refusal")

    def operations(self, folder, process):
        link = self.connect(folder, process, app=None)
        if link is None:
            return None
        self.send(link, {"request": {"action": "overview"}})
        _, overview = self.await_frame(link, "overview")
        link.close()
        return {operation["id"] for app in overview["apps"] for operation in app["operations"]}

    def run(self, folder, fault):
        held, released, unclear, refusals = {"old"}, set(), set(), []
        process = self.start(folder, fault)
        complete = True
        try:
            link = self.connect(folder, process)
            steps = [("hold", "a"), ("hold", "b"), ("release", "a"), ("hold", "c")]
            while link and steps:
                action, identifier = steps.pop(0)
                unclear.add(identifier)
                try:
                    if action == "hold":
                        answer, content = self.hold(link, identifier)
                    else:
                        self.send(link, {"release": {"id": identifier}})
                        answer, content = self.await_frame(link, "released", "refusal")
                except (ConnectionError, TimeoutError) as error:
                    if isinstance(error, TimeoutError):
                        raise NoAnswer(f"{action} was not answered within 5 s: {(folder / 'log').read_text()[-300:]}") from None
                    complete = False
                    link = self.connect(folder, process)
                    steps = []
                    continue
                if answer == "refusal":
                    # It is unclear whether the agent has it: the client has to ask again.
                    refusals.append(content["sentence"])
                    complete = False
                    continue
                unclear.discard(identifier)
                if answer == "held":
                    held.add(identifier)
                else:
                    held.discard(identifier)
                    released.add(identifier)
            if process.poll() is None:
                process.terminate()
            process.wait(15)
        except subprocess.TimeoutExpired:
            raise NoAnswer("it did not end within 15 s after SIGTERM") from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        return {"status": process.returncode, "error": (folder / "log").read_text(errors="replace"), "held": held,
                "released": released, "unclear": unclear, "complete": complete, "refusals": refusals, "files": {}, "output": b""}

    def check(self, folder, result, before):
        if result["status"] not in (0, -signal.SIGTERM):
            if result["status"] in (-number for number in RUNTIME_SIGNALS):
                raise Problem(f"it crashed: {result['error'][-300:]}")
            self.check_error(result)
        for sentence in result["refusals"]:
            # A permission that cannot be read counts as missing; the log gives the reason.
            require(re.search("[Cc]annot|has not allowed|does not declare", sentence), f"it refused without a reason: {sentence}")
        self.check_promise(folder, result)
        left = [str(path.relative_to(folder)) for path in folder.rglob(".new-*")]
        require(not left, f"it left {left} behind")
        return result["complete"] and result["status"] in (0, -signal.SIGTERM)

    def check_promise(self, folder, result):
        process = self.start(folder, Fault("", folder, "", "", "", ""))
        try:
            found = self.operations(folder, process)
            require(found is not None, f"the next agent does not start: {(folder / 'log').read_text()[-300:]}")
            missing = result["held"] - found - result["unclear"]
            require(not missing, f"confirmed operations are lost: {sorted(missing)}; {result['error'][-300:]}")
            back = found & (result["released"] - result["unclear"])
            require(not back, f"ended operations are back: {sorted(back)}")
        finally:
            process.kill()
            process.wait()


class PushDisable(Scenario):
    """A command changes a configuration of local push. Afterwards the configuration is the old or the new one."""

    program = "earshot-agent"
    subcommand = "disable"

    @staticmethod
    def content(identifier, enabled, saved):
        return json.dumps({"version": 1, "identifier": identifier, "app": "app", "ssids": ["ship"], "ethernet": False,
                           "mobileNetworks": [], "providerConfiguration": {}, "provider": "provider", "isEnabled": enabled,
                           "savedCount": saved})

    def prepare(self, folder):
        place = folder / "config/earshot/push"
        place.mkdir(parents=True)
        os.chmod(place, 0o700)
        for name, enabled, saved in (("one", True, 7), ("two", False, 5)):
            (place / f"{name}.json").write_text(self.content(name, enabled, saved))
            os.chmod(place / f"{name}.json", 0o600)
        # The program's name chooses the command.
        (folder / "earshot-push").symlink_to(self.built / "earshot-agent")

    def files(self, folder):
        return {name: content for name, content in super().files(folder).items() if name != "earshot-push"}

    def environment(self, folder):
        return {**super().environment(folder), "XDG_CONFIG_HOME": f"{folder}/config"}

    def command(self, folder):
        return [folder / "earshot-push", self.subcommand, "one"]


def scenarios(built):
    fixture = FIXTURE.read_bytes()
    listed = [
        Encode("encode", built),
        Encode("encode over a file", built, existing=True),
        Encode("encode to a pipe", built, target="-"),
        Decode("decode", built),
        Decode("decode from a pipe", built, piped=True),
        Decode("decode AU", built, content=au_of(fixture), name_of_file="in.au"),
        Decode("decode AU from a pipe", built, content=au_of(fixture), piped=True),
        Inspect("inspect", built),
        Loopback("loopback", built),
        Broadcast("broadcast", built),
        Listen("listen", built),
        PushDisable("push disable", built),
        PushDisable("push remove", built, subcommand="remove"),
        Agent("agent", built),
    ]
    if Service.daemon:
        listed += [Service("earshotd", built), Upgrade("earshotd upgrade", built), Backup("earshotd backup", built)]
    return listed


class Runner:
    def __init__(self, library, options):
        self.library = library
        self.options = options

    def once(self, scenario, call=None, place=0, error=None):
        """One run: whether the fault happened, the outcome, and the mistake, if any."""
        with tempfile.TemporaryDirectory(prefix="earshot-faults-") as name:
            folder = Path(name)
            (folder / "tmp").mkdir()
            scenario.prepare(folder)
            before = scenario.files(folder)
            fault = Fault(self.library, name, scenario.program, call, place, error)
            result = None
            try:
                result = scenario.run(folder, fault)
                if call is None:
                    return result
                result["fault_call"], result["fault_error"] = call, error
                dead = result["status"] is not None and -result["status"] in RUNTIME_SIGNALS
                # When Foundation first needs an HTTP session and cannot read the program's folder, it ends the process.
                is_of_libraries = re.search(RUNTIME_FILES, fault.text) or fault.text.endswith(f" {scenario.built}")
                if fault.happened and dead and (call in scenario.runtime_calls or is_of_libraries):
                    # The promises about files hold for a process that the runtime ends, too.
                    result["status"], result["error"] = 70, "cannot: ended by Swift's runtime"
                    scenario.check(folder, result, before)
                    return True, "ended by the runtime", ""
                done = scenario.check(folder, result, before)
                if not fault.happened:
                    return False, "untouched", "" if done else "a run without a fault did not do its work"
                return True, "went on" if done else "clear error", ""
            except Problem as problem:
                if call == "watch" and isinstance(problem, NoAnswer):
                    return True, "no answer", ""
                if call is None:
                    sys.exit(f"{scenario.name}: without a fault: {problem}")
                return fault.happened, "problem", f"{problem} [{fault.text}]"

    def places(self):
        if self.options.quick:
            yield from (1, 2)
            return
        place = 1
        while True:
            yield place
            place += 1 if place < self.options.limit else max(1, place // 8)

    def row(self, scenario, call, error):
        """All places of one call and error."""
        outcomes, problems, last = Counter(), [], 0
        for place in self.places():
            happened, outcome, text = self.once(scenario, call, place, error)
            if text:
                problems.append(f"{scenario.name}: {call} {place} {error}: {text}")
            if not happened:
                break
            outcomes[outcome] += 1
            last = place
        return scenario, call, error, outcomes, problems, last


def table(rows):
    """docs/RELIABILITY.md's table: a line for each scenario and call."""
    groups = defaultdict(lambda: [0, 0, Counter(), set()])
    for scenario, call, error, outcomes, _, last in rows:
        group = groups[scenario.name, call]
        group[0] = max(group[0], last)
        group[1] += sum(outcomes.values())
        group[2] += outcomes
        group[3].add(error)
    lines = ["| what runs | call | calls in a run | errors | failures | went on | clear error | ended by the runtime | no answer | problem |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for (name, call), (last, count, outcomes, errors) in groups.items():
        if count:
            cells = [outcomes[key] for key in ("went on", "clear error", "ended by the runtime", "no answer", "problem")]
            lines.append(f"| {name} | {call} | {last} | {len(errors)} | {count} | " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenario")
    parser.add_argument("--call")
    parser.add_argument("--error")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="earshot-faults-") as place:
        library = f"{place}/faults.so"
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(ROOT / "Tests/Faults/faults.c"), "-o", library,
                        "-ldl"], check=True)
        runner = Runner(library, options)
        chosen = [one for one in scenarios(options.folder.resolve())
                  if one.name == options.scenario or options.scenario is None and not (options.quick and one.is_slow)]
        if not chosen:
            parser.error("there is no such scenario")
        tasks = []
        for scenario in chosen:
            scenario.baseline = runner.once(scenario)
            if scenario.baseline["status"] not in scenario.done | {-signal.SIGTERM}:
                sys.exit(f"{scenario.name}: without a fault it ends with {scenario.baseline['status']}: {scenario.baseline['error']}")
            for call in scenario.calls:
                if options.call in (None, call):
                    errors = [error for error in ERRORS[call] if options.error in (None, error)]
                    tasks += [(scenario, call, error) for error in (errors[:1] if options.quick else errors)]
        rows, problems = [], []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for row in pool.map(lambda task: runner.row(*task), tasks):
                rows.append(row)
                problems += row[4]
                for problem in row[4]:
                    print(problem, flush=True)
    text = table(rows)
    if options.table:
        options.table.write_text(text)
    failures = sum(sum(row[3].values()) for row in rows)
    if not options.quick:
        print(text)
    if not failures:
        sys.exit("no call failed: the faults do not reach the programs")
    # Tests/run.sh looks for these words.
    print(f"Test run with {failures} tests, each a failed call, in {len(chosen)} scenarios: {len(problems)} problems, "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
