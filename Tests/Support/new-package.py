#!/usr/bin/env python3
"""Makes the first package of docs/MESSAGES.md as a new user does, and runs it.

    Tests/Support/new-package.py EARSHOTD

An empty folder gets the document's manifest and program as they are printed. Beside it is a link to this repository, so that the path in
the manifest holds. `swift build` builds the package from nothing. Then the program runs twice on a virtual sound card, each time on a
terminal of its own and with a home of its own, with a service that EARSHOTD runs as docs/COMMANDS.md says. Each program must ask for
consent; after "a" each must print "found hello", and one must print "lost" when the other ends.

SWIFT names the compiler's command, `swift` without it.
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUESTION = "[a]llow, [d]eny, [l]earn more? "
# Two devices find each other within 8.8 s (docs/DISCOVERY.md), and one that is killed after less than 14 s is lost after a minute
# (docs/LIMITS.md). The limit is twice that, because a debug build on a busy machine is slow.
PATIENCE_SECONDS = 120


def printed():
    """The first program of the document, and its manifest, which is the first indented block after it."""
    with open(f"{ROOT}/docs/MESSAGES.md", encoding="utf-8") as file:
        text = file.read()
    program, rest = re.search(r"^```swift\n(.*?)^```\n(.*)", text, re.DOTALL | re.MULTILINE).groups()
    block = re.search(r"^    \S.*\n(?:(?:    .*)?\n)*", rest, re.MULTILINE).group()
    return program, "".join(line[4:] or "\n" for line in block.splitlines(keepends=True))


def make_package(folder):
    """Writes the package, builds it, and returns the program's path."""
    program, manifest = printed()
    os.symlink(ROOT, f"{folder}/earshot")
    package = f"{folder}/greeting"
    os.makedirs(f"{package}/Sources")
    for name, text in [("Package.swift", manifest), ("Sources/main.swift", program)]:
        with open(f"{package}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    begin = time.monotonic()
    # A new user has none of our variables.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EARSHOT")}
    built = subprocess.run(
        [os.environ.get("SWIFT", "swift"), "build"], cwd=package, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0 or "warning:" in built.stdout:
        sys.exit(f"swift build left with {built.returncode}, or warns:\n{built.stdout}")
    print(f"swift build took {time.monotonic() - begin:.0f} s", flush=True)
    return f"{package}/.build/debug/greeting"


class Card:
    """A sound card whose microphone hears its loudspeaker."""

    SCRIPT = f"{ROOT}/Tests/Support/virtual-sound-card.sh"

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([self.SCRIPT, "start", folder, "--owner", str(os.getpid())], check=True)
        lines = subprocess.run([self.SCRIPT, "env", folder], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.variables = dict(line.removeprefix("export ").split("=", 1) for line in lines.splitlines())

    def end(self):
        subprocess.run([self.SCRIPT, "stop", self.folder], check=True)


class Device:
    """The program on a terminal."""

    def __init__(self, path, home, variables):
        os.makedirs(home)
        self.screen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(path, [path], {**os.environ, **variables, "HOME": home, "XDG_CONFIG_HOME": f"{home}/.config"})

    def wait(self, text):
        """Reads until the screen has the text."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.screen:
            if not select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                sys.exit(f'"{text}" did not come. The screen:\n{self.screen}')
            try:
                self.screen += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                sys.exit(f'The program ended without "{text}". The screen:\n{self.screen}')

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Service:
    """The service with one project, on a free port of this machine."""

    def __init__(self, program, folder):
        self.program, self.database = program, ["--database", f"{folder}/database"]
        self.run("project", "create", "demo")
        self.key = self.run("key", "create", "demo").strip()
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--no-operations", "--log-level", "warning", *self.database],
            stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, *self.database], check=True, stdout=subprocess.PIPE, text=True).stdout

    def end(self):
        self.process.kill()
        self.process.wait()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # A short name without links: the compiler resolves them.
    folder = os.path.realpath(tempfile.mkdtemp(prefix="earshot-"))
    owned = []
    try:
        program = make_package(folder)
        card = Card(f"{folder}/card")
        owned.append(card)
        service = Service(os.path.abspath(sys.argv[1]), folder)
        owned.append(service)
        variables = {
            **card.variables, "EARSHOT_KEY": service.key, "EARSHOT_SERVICE": service.address,
            "EARSHOT_DEVICE": "air_in", "EARSHOT_PLAYBACK": "air_out",
        }
        devices = [Device(program, f"{folder}/home{number}", variables) for number in range(2)]
        owned += devices
        for device in devices:
            device.wait(QUESTION)
            if "found hello" in device.screen:
                sys.exit("It found a message before it was allowed to listen.")
        begin = time.monotonic()
        for device in devices:
            device.type("a\n")
        for device in devices:
            device.wait("found hello")
            print(f"found after {time.monotonic() - begin:.1f} s", flush=True)
        begin = time.monotonic()
        owned.remove(devices[0])
        devices[0].end()
        devices[1].wait("lost ")
        print(f"lost after {time.monotonic() - begin:.1f} s: the package of docs/MESSAGES.md works as printed", flush=True)
    finally:
        for one in reversed(owned):
            one.end()
        shutil.rmtree(folder)


main()
