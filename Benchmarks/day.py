#!/usr/bin/env python3
"""Runs a day of use in a few hours, and checks that no program grows.

    Benchmarks/day.py BUILT EARSHOTD [MINUTES]

BUILT is the folder of the programs, .build/release. On one virtual sound card run all the time: two `earshot nearby`, an `earshot listen`, an
agent (without Bluetooth), and the service. Visitors come and go: every half minute someone publishes a message for 25 s and another one
subscribes until it is found; every 20 s an app hands an operation over to the agent, and ends it; every 10 s a stranger's token is played.
In 3 hours that is 360 visits, 540 operations and 1,080 tokens.

Each program is sampled twice a minute: resident memory, descriptors, threads, processor time, and wake-ups, the voluntary context switches
of its threads. The first quarter of the time is for warming up. A quantity grows if the slope of the rest is over three times its standard
error, from ten block means, and it grew by more than a margin: 256 kB, as in soak.sh, one descriptor, one thread, 10 % of the processor
time or of the wake-ups.
Prints a table in Markdown. It fails if a quantity grew, a program ended, or more than 2 % of the visits did not find their message: two
devices meet within 9 s, but a token in each 70 can be lost among five talkers.
Default: 180 minutes. Ctrl-C ends it with the table so far.
"""

import base64
import json
import os
import random
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARD = ROOT / "Tests/Support/virtual-sound-card.sh"
SAMPLE_SECONDS = 30
TICKS = os.sysconf("SC_CLK_TCK")


class Watched:
    """A program that runs all the time, and its samples."""

    def __init__(self, name, process):
        self.name, self.process = name, process
        self.samples = []
        self.switches = {}
        self.wakeups = 0
        self.last = None

    def sample(self, now):
        folder = Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        # Threads end; what one did since the last sample counts as long as it lives.
        for thread in (folder / "task").iterdir():
            try:
                lines = (thread / "status").read_text().splitlines()
            except OSError:
                continue
            count = next(int(line.split()[1]) for line in lines if line.startswith("voluntary"))
            self.wakeups += max(0, count - self.switches.get(thread.name, 0))
            self.switches[thread.name] = count
        seconds = (int(fields[11]) + int(fields[12])) / TICKS
        if self.last:
            span = now - self.last[0]
            self.samples.append({
                "memory, kB": int(status["VmRSS"].split()[0]), "descriptors": len(list((folder / "fd").iterdir())),
                "threads": int(status["Threads"]), "processor, %": 100 * (seconds - self.last[1]) / span,
                "wake-ups/s": (self.wakeups - self.last[2]) / span,
            })
        self.last = now, seconds, self.wakeups


MARGINS = {"memory, kB": 256, "descriptors": 1, "threads": 1}


def growth(values, margin):
    """The growth over the time of the values, its standard error, and whether it is one."""
    size = len(values) // 10
    means = [statistics.fmean(values[index * size:(index + 1) * size]) for index in range(10)]
    x = [index - 4.5 for index in range(10)]
    slope = sum(a * b for a, b in zip(x, means)) / 82.5
    centre = statistics.fmean(means)
    residue = sum((mean - centre - slope * a) ** 2 for a, mean in zip(x, means))
    error = (residue / 8 / 82.5) ** 0.5
    return slope * 10, error * 10, slope > 3 * error and slope * 10 > margin


class Agent:
    """An app that talks to the agent."""

    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(30)
        self.link.connect(path)
        self.send({"hello": {"version": 1, "app": "app"}})
        self.wait("welcome")

    def send(self, frame):
        content = json.dumps(frame).encode()
        self.link.sendall(struct.pack(">I", len(content)) + content)

    def take(self, count):
        content = b""
        while len(content) < count:
            part = self.link.recv(count - len(content))
            if not part:
                raise ConnectionError("the agent ended")
            content += part
        return content

    def wait(self, name):
        while True:
            frame = json.loads(self.take(struct.unpack(">I", self.take(4))[0]))
            if name in frame:
                return
            if "refusal" in frame:
                raise ConnectionError(frame["refusal"]["sentence"])

    def visit(self, identifier):
        self.send({"hold": {"operation": {
            "id": identifier, "key": "key", "service": "http://127.0.0.1:9", "content": base64.b64encode(os.urandom(500)).decode(),
            "type": "", "namespace": "", "mode": 1}, "known": []}})
        self.wait("held")
        self.send({"release": {"id": identifier}})
        self.wait("released")
        self.link.close()


class Day:
    def __init__(self, folder, built, service):
        self.folder = folder
        # A build beside this run may replace them.
        for name in ["earshot", "earshot-messages", "earshot-agent"]:
            shutil.copy(built / name, folder / name)
        shutil.copy(service, folder / "earshotd")
        for name in ["nearby", "publish", "subscribe"]:
            (folder / f"earshot-{name}").symlink_to("earshot-messages")
        (folder / "config/app").mkdir(parents=True)
        (folder / "run").mkdir()
        (folder / "config/app/app.nearby.json").write_text(
            '{"UIBackgroundModes":["bluetooth-central","bluetooth-peripheral","location"]}')
        (folder / "config/app/nearby.json").write_text('{"permission":"granted","backgroundLocation":"granted"}')
        nowhere = f"unix:path={folder}/none"
        self.environment = {
            **os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state",
            "XDG_RUNTIME_DIR": f"{folder}/run", "EARSHOT_AGENT_SOCKET": f"{folder}/run/agent.sock",
            "DBUS_SYSTEM_BUS_ADDRESS": nowhere, "DBUS_SESSION_BUS_ADDRESS": nowhere,
        }
        self.random = random.Random(1)
        self.watched = []
        self.counts = {"visits": 0, "found": 0, "operations": 0, "tokens": 0}
        self.trouble = []
        self.ended = threading.Event()

    def start(self, name, *arguments, environment=None, **options):
        return subprocess.Popen(
            [self.folder / name, *arguments], cwd=self.folder, env=environment or self.environment, stdin=subprocess.DEVNULL,
            stderr=open(self.folder / f"{name}.errors", "ab"), **{"stdout": subprocess.DEVNULL, **options})

    def watch(self, title, name, *arguments, **options):
        process = self.start(name, *arguments, **options)
        self.watched.append(Watched(title, process))
        return process

    def begin(self):
        subprocess.run([CARD, "start", self.folder / "card", "--owner", str(os.getpid())], check=True)
        lines = subprocess.run([CARD, "env", self.folder / "card"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.environment |= dict(line.removeprefix("export ").split("=", 1) for line in lines.splitlines())
        database = ["--database", f"{self.folder}/database"]
        for command in [["project", "create", "demo"], ["key", "create", "demo"]]:
            key = subprocess.run([self.folder / "earshotd", *command, *database], check=True, stdout=subprocess.PIPE, text=True).stdout
        service = self.watch("service", "earshotd", "serve", "--port", "0", "--no-operations", "--log-level", "warning", *database,
                             stdout=subprocess.PIPE, text=True)
        self.environment |= {"EARSHOT_KEY": key.strip(), "EARSHOT_SERVICE": service.stdout.readline().split()[-1]}
        self.watch("agent", "earshot-agent", "run", "--claim-time", "86400")
        self.sound = ["--device", "air_in", "--playback", "air_out", "--medium", "audio"]
        for number in "12":
            self.watch(f"nearby {number}", "earshot-nearby", *self.sound, "--json")
        self.watch("listen", "earshot", "listen", "--device", "air_in", "--json", stdout=open(self.folder / "heard", "wb"))

    def repeat(self, seconds, action):
        def loop():
            number, due = 0, time.monotonic()
            while not self.ended.wait(max(0, due - time.monotonic())):
                due += seconds
                number += 1
                try:
                    action(number)
                except Exception as error:  # The day goes on; the end reports it.
                    if not self.ended.is_set():
                        self.trouble.append(f"{action.__name__} {number}: {error}")

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        return thread

    def message(self, number):
        text = f"message {number}"
        publisher = self.start("earshot-publish", text, "--seconds", "25", "--quiet", *self.sound)
        subscriber = self.start("earshot-subscribe", "--seconds", "25", "--count", "1", "--quiet", *self.sound, stdout=subprocess.PIPE, text=True)
        found = subscriber.communicate()[0]
        publisher.wait()
        self.counts["visits"] += 1
        self.counts["found"] += text in found

    def operation(self, number):
        Agent(f"{self.folder}/run/agent.sock").visit(f"operation-{number}")
        self.counts["operations"] += 1

    def stranger(self, number):
        token = self.random.randbytes(8).hex()
        profile = ["fast", "standard", "far"][number % 3]
        self.start("earshot", "broadcast", token, "--profile", profile, "--device", "air_out", "--count", "1", "--quiet").wait()
        self.counts["tokens"] += 1

    def run(self, minutes):
        self.begin()
        time.sleep(5)
        threads = [self.repeat(30, self.message), self.repeat(20, self.operation), self.repeat(10, self.stranger)]
        begin = time.monotonic()
        while time.monotonic() - begin < minutes * 60 and not self.ended.wait(SAMPLE_SECONDS):
            for program in self.watched:
                if program.process.poll() is not None:
                    self.trouble.append(f"{program.name} ended with {program.process.returncode}")
                    self.ended.set()
                else:
                    program.sample(time.monotonic())
            if sys.stderr.isatty() or len(self.watched[0].samples) % 20 == 0:
                print(f"{(time.monotonic() - begin) / 60:.0f} of {minutes:g} minutes, {self.counts}, {len(self.trouble)} problems",
                      file=sys.stderr, flush=True)
        self.ended.set()
        for thread in threads:
            thread.join(40)
        return (time.monotonic() - begin) / 60

    def table(self, minutes):
        counts = self.counts
        print(f"{minutes:.0f} minutes: {counts['found']} of {counts['visits']} visits found their message, {counts['operations']} operations, "
              f"{counts['tokens']} tokens of strangers\n")
        print("| program | quantity | mean | growth after the first quarter | standard error | |\n|---|---|---|---|---|---|")
        grown = False
        for program in self.watched:
            for quantity in program.samples[0] if program.samples else []:
                values = [sample[quantity] for sample in program.samples]
                values = values[len(values) // 4:]
                if len(values) < 10:
                    continue
                mean = statistics.fmean(values)
                rise, error, grows = growth(values, MARGINS.get(quantity, mean / 10))
                grown |= grows
                print(f"| {program.name} | {quantity} | {mean:.1f} | {rise:+.2f} | {error:.2f} | {'**grows**' if grows else ''} |")
        for line in self.trouble:
            print(line)
        lost = counts["visits"] - counts["found"]
        return not grown and not self.trouble and counts["visits"] > 0 and lost <= 0.02 * counts["visits"] + 1

    def end(self):
        for program in self.watched:
            if program.process.poll() is None:
                program.process.kill()
            program.process.wait()
        subprocess.run([CARD, "stop", self.folder / "card"], check=False)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("\n".join(__doc__.splitlines()[2:3]).strip())
    folder = Path(tempfile.mkdtemp(prefix="earshot-day-"))
    day = Day(folder, Path(sys.argv[1]), Path(sys.argv[2]))
    for number in [signal.SIGINT, signal.SIGTERM]:
        signal.signal(number, lambda *_: day.ended.set())
    try:
        minutes = day.run(float(sys.argv[3]) if len(sys.argv) == 4 else 180)
        passed = day.table(minutes)
    finally:
        day.end()
        shutil.rmtree(folder)
    return 0 if passed else 1


sys.exit(main())
