#!/usr/bin/env python3
"""Halves and doubles each constant of the receiver and of the sound discovery, and reports which changes nothing notices.

    Benchmarks/Constants/constants.py copy FOLDER               a changed copy of the repository in FOLDER
    Benchmarks/Constants/constants.py list                      the constants
    Benchmarks/Constants/constants.py goals FOLDER OUT.json [--trials N] [--all | --scenes 'NAME NAME'] [--only NAMES.txt] [--factors F,F]
    Benchmarks/Constants/constants.py tests FOLDER OUT.json [--filter REGEX] [--only NAMES.txt] [--factors F,F]
    Benchmarks/Constants/constants.py table OUT.json...         in Markdown

A constant is a number in the initial value of a `static let`, or of a property of `TalkLimits`. In the copy each is multiplied by a factor
when the environment has EARSHOT_CONSTANT=NAME:FACTOR: so there is one build, and a run for each constant and factor. Whole numbers are
rounded up. `--factors 0.01,100` instead asks whether a threshold is needed at all: with one of the two it always lets through, with the other
it never does.

`goals` runs scenes of `earshot-bench goals` N times (12), those that the constant's folder is for, those of --scenes, or all with --all, with the same random
numbers as without a change, and decodes ten minutes of noise. It counts the frames that a scene lost and won against the run without a change. A change is noticed if
- lost − won > 3·√(lost + won): with the same air, a frame decoded in one run only is a coin's throw if the change does nothing;
- more wrong tokens come, the noise takes 1.15 of the time, the scenes take 1.3 of it (nothing changes them by more than 8 % between two
  runs of the same program), or the program ends early.
`tests` runs the unit tests of the folder that mirrors the constant's, or those of --filter; a change is noticed if one fails. Results are added to OUT.json, so a run can be continued.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["Sources/Modem/EarshotModem/Receive", "Sources/Nearby/EarshotSound/Talking"]
# The scenes that a folder's constants are for. Repeats, Recognition, EarlySign and Talking have none: unit tests are for these.
MIXED = "awgn room-a walk crowd-2 crowd-4 pilot-30 dropout-300 fade near-far-20 cut-start-200 agc"
SCENES = {
    "Cancellation": "crowd-2 crowd-4 near-far-20 near-far-30 crowd-3-room-b",
    "Pilots": "pilot pilot-20 pilot-30 pilot-50 tone-below tone-above sweep-10 sweep-20 sweep-40 keys",
    "Motion": "walk hand hand-fast approach-fast awgn",
    "Coherent": "awgn room-a approach crowd-2 pilot",
}
UNSEEN = {"Repeats", "Recognition", "EarlySign", "Talking"}
NUMBER = r"(?:\d[\d_]*(?:\.[\d_]+)?(?:[eE]-?\d+)?)"
DECLARATION = re.compile(
    r"^(?P<head>\s*(?:(?:private|public|package|fileprivate) )?(?:static let|var) (?P<name>\w+)(?P<type>: [\w<>.]+)? = )(?P<value>.+)$")

HELPER = """
import Glibc

/// Added by constants.py: the constant that this process changes, and its factor.
private let changedConstant: (name: String, factor: Double)? = {
    guard let text = getenv("EARSHOT_CONSTANT").map({ String(cString: $0) }), let colon = text.lastIndex(of: ":"),
        let factor = Double(String(text[text.index(after: colon)...]))
    else { return nil }
    return (String(text[..<colon]), factor)
}()
func changed(_ value: Double, _ name: String) -> Double { changedConstant?.name == name ? value * changedConstant!.factor : value }
func changed(_ value: Float, _ name: String) -> Float { Float(changed(Double(value), name)) }
func changed(_ value: Int, _ name: String) -> Int { Int(changed(Double(value), name).rounded(.up)) }
"""


def declarations(path, text):
    """The lines with constants: line number, name, and the value's text with the number's places."""
    for number, line in enumerate(text.splitlines()):
        match = DECLARATION.match(line)
        if not match or ("static let" not in line and path.stem != "TalkLimits"):
            continue
        value = match["value"]
        if re.fullmatch(rf"-?{NUMBER}(?: [-+*/] {NUMBER})*", value):
            places = [(0, len(value), "")]
        elif found := re.fullmatch(rf"(-?{NUMBER})(\.\.[.<])(-?{NUMBER})", value):
            places = [(found.start(1), found.end(1), ".low"), (found.start(3), found.end(3), ".high")]
        elif found := re.fullmatch(rf"\w+\((\w+: -?{NUMBER}(?: / {NUMBER})?(?:, )?)+\)", value):
            places = [(each.start(2), each.end(2), f".{each[1]}" if value.count(":") > 1 else "")
                      for each in re.finditer(rf"(\w+): (-?{NUMBER}(?: / {NUMBER})?)", value)]
        elif re.fullmatch(rf"\(-?{NUMBER}(?:, -?{NUMBER})*\)", value):
            places = [(each.start(), each.end(), f".{index}") for index, each in enumerate(re.finditer(rf"-?{NUMBER}", value))]
        else:
            continue
        for start, end, part in places:
            try:
                if eval(value[start:end].replace("_", "")) == 0:
                    continue
            except SyntaxError:
                continue
            yield number, f"{path.stem}.{match['name']}{part}", len(match["head"]) + start, len(match["head"]) + end, value[start:end]


def constants():
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            for number, name, start, end, value in declarations(path, path.read_text()):
                found.append((name, path.relative_to(ROOT), number, start, end, value))
    return found


def copy(folder):
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".build", ".git"), symlinks=True, dirs_exist_ok=True)
    by_file = {}
    for name, path, number, start, end, value in constants():
        by_file.setdefault(path, []).append((number, start, end, name, value))
    for path, places in by_file.items():
        lines = (folder / path).read_text().splitlines()
        for number, start, end, name, value in sorted(places, reverse=True):
            lines[number] = f'{lines[number][:start]}changed({value}, "{name}"){lines[number][end:]}'
        (folder / path).write_text("\n".join(lines) + "\n")
    for module in ["Sources/Modem/EarshotModem", "Sources/Nearby/EarshotSound"]:
        (folder / module / "ChangedConstant.swift").write_text(HELPER)


def noise_file(folder):
    path = folder / ".build/noise.wav"
    if not path.exists():
        generator = random.Random(5)
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            second = b"".join(int(max(-32_768, min(32_767, generator.gauss(0, 3_000)))).to_bytes(2, "little", signed=True) for _ in range(480_000))
            file.writeframes(second * 60)
    return path


def run(command, change, limit, core):
    """Its output, processor time, and status, which is None if it did not end in time."""
    environment = {**os.environ, **({"EARSHOT_CONSTANT": change} if change else {})}
    process = subprocess.Popen(["taskset", "-c", str(core), *map(str, command)], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, 9)

    timer = threading.Timer(limit, end) if limit else None
    if timer:
        timer.start()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if timer:
        timer.cancel()
    return output, usage.ru_utime + usage.ru_stime, None if late.is_set() else process.returncode


def seconds_of(command, change, core):
    best = math.inf
    for _ in range(3):
        _, seconds, status = run(command, change, 60, core)
        if status not in (0, 1):
            return None
        best = min(best, seconds)
    return best


def measure(folder, change, scenes, trials, seed, core, limit):
    chosen = [word for scene in scenes.split() for word in ("--channel", scene)]
    output, span, status = run([folder / ".build/release/earshot-bench", "goals", "--trials", trials, "--seed", seed, *chosen], change, limit, core)
    rows = {}
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 7 and cells[1].startswith("`"):
            rows[" ".join(cells[1:4]).replace("`", "")] = (round(float(cells[5].split("%")[0]) / 100 * int(cells[6])), int(cells[7]))
    return {
        "rows": rows, "seconds": span, "status": status,
        "noise": seconds_of([folder / ".build/release/earshot", "decode", "--jobs", "1", noise_file(folder)], change, core),
        "end": "" if status == 0 else output[-300:],
    }


def verdict(base, result):
    if result["status"] is None:
        return True, "does not end"
    if result["status"] != 0:
        return True, "ends early"
    lost = won = 0
    losses = {}
    for row, (count, wrong) in base["rows"].items():
        change = result["rows"][row][0] - count
        lost += max(0, -change)
        won += max(0, change)
        if change < 0:
            losses[row] = change
    wrong = sum(row[1] for row in result["rows"].values()) - sum(row[1] for row in base["rows"].values())
    ratio = result["seconds"] / base["seconds"]
    noise = result["noise"] / base["noise"] if result["noise"] else math.inf
    noticed = lost - won > 3 * math.sqrt(lost + won) or wrong > 0 or ratio > 1.3 or noise > 1.15
    worst = min(losses, key=losses.get) if losses else ""
    text = f"−{lost} +{won}" + (f", {wrong} wrong" if wrong else "") + f", time {ratio:.2f}, noise {noise:.2f}" + (f"; most: {worst}" if worst else "")
    return noticed, text


def scenes_of():
    """The scenes of each constant; none if no scene has work for it."""
    scenes = {}
    for name, path, *_ in constants():
        words = {*path.parts, path.stem}
        scenes[name] = None if words & UNSEEN else next((SCENES[word] for word in SCENES if word in words), MIXED)
    return scenes


def changes(only, factors, scenes=None):
    names = [name for name, *_ in constants()]
    listed = set(Path(only).read_text().split()) if only else None
    for name, _, _, _, _, value in constants():
        if scenes is not None and scenes[name] is None:
            continue
        for factor in factors:
            number = eval(value.replace("_", ""))
            if "." not in value and "e" not in value and "/" not in value and math.ceil(number * factor) == number:
                continue
            change = f"{name}:{factor:g}"
            if listed is None or change in listed or name in listed:
                yield change
    if len(set(names)) != len(names):
        sys.exit(f"two constants have one name: {sorted({name for name in names if names.count(name) > 1})}")


TEST_FOLDERS = {"Sources/Modem/EarshotModem": "Tests/Modem/EarshotModemTests", "Sources/Nearby/EarshotSound": "Tests/Nearby/EarshotSoundTests"}


def suites_of():
    """A filter for each constant: the tests in the folder that mirrors its file's."""
    filters = {}
    for name, path, *_ in constants():
        source = next(folder for folder in TEST_FOLDERS if str(path).startswith(folder))
        folder = ROOT / TEST_FOLDERS[source] / path.relative_to(source).parent
        if not folder.exists():
            folder = folder.parent
        suites = [suite for file in sorted(folder.glob("*.swift")) for suite in re.findall(r"^(?:@Suite(?:\(.*?\))? )?(?:struct|final class) (\w+Tests)\b", file.read_text(), re.M)]
        filters[name] = rf"\.({'|'.join(suites)})(/|$)" if suites else None
    return filters


def all_of(arguments, scenes, key, one):
    path = Path(arguments.out)
    results = json.loads(path.read_text()) if path.exists() else {}
    todo = [change for change in changes(arguments.only, arguments.factors, scenes) if change not in results]
    cores = [int(core) for core in arguments.cores.split(",")] if arguments.cores else list(range(os.cpu_count() or 1))
    with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
        free = list(cores)
        def task(change):
            core = free.pop()
            try:
                return change, one(change, core)
            finally:
                free.append(core)
        done = 0
        for change, result in pool.map(task, todo):
            results[change] = result
            done += 1
            temporary = path.with_suffix(".new")
            temporary.write_text(json.dumps(results))
            temporary.replace(path)
            print(f"{done} of {len(todo)}: {change}: {key(result)}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    each = commands.add_parser("copy")
    each.add_argument("folder", type=Path)
    for name in ["goals", "tests"]:
        each = commands.add_parser(name)
        each.add_argument("folder", type=Path)
        each.add_argument("out")
        each.add_argument("--only")
        each.add_argument("--filter")
        each.add_argument("--trials", type=int, default=12)
        each.add_argument("--all", action="store_true")
        each.add_argument("--scenes")
        each.add_argument("--cores")
        each.add_argument("--factors", type=lambda text: [float(each) for each in text.split(",")], default=[0.5, 2.0])
        each.add_argument("--seed", type=int, default=7003)
    each = commands.add_parser("table")
    each.add_argument("results", nargs="+")
    arguments = parser.parse_args()
    match arguments.command:
        case "list":
            for name, path, number, _, _, value in constants():
                print(f"{name} = {value}  {path.name}:{number + 1}")
        case "copy":
            copy(arguments.folder)
        case "goals":
            folder = arguments.folder.resolve()
            noise_file(folder)
            scenes = scenes_of()
            if arguments.all or arguments.scenes:
                scenes = {name: arguments.scenes or "" for name in scenes}
            bases = {}
            for group in sorted({each for each in scenes.values() if each is not None}):
                base = bases[group] = measure(folder, None, group, arguments.trials, arguments.seed, 0, None)
                if base["status"] != 0:
                    sys.exit(f"without a change it fails: {base['end']}")
                print(f"without a change: {base['seconds']:.1f} s, noise {base['noise']:.3f} s, {sum(r[0] for r in base['rows'].values())} frames; {group}",
                      file=sys.stderr)
            def one(change, core):
                group = scenes[change.rsplit(":", 1)[0]]
                base = bases[group]
                noticed, text = verdict(base, measure(folder, change, group, arguments.trials, arguments.seed, core, 10 * base["seconds"]))
                return {"noticed": noticed, "what": text}
            all_of(arguments, scenes, lambda result: ("noticed, " if result["noticed"] else "NOT noticed, ") + result["what"], one)
        case "tests":
            program = arguments.folder.resolve() / ".build/testing/debug/earshotPackageTests.xctest"
            filters = suites_of()
            if arguments.filter:
                filters = {name: arguments.filter for name in filters}
            for filter in sorted({each for each in filters.values() if each}):
                output, seconds, status = run([program, "--testing-library", "swift-testing", "--filter", filter], None, 900, 0)
                print(f"without a change: {status}, {seconds:.0f} s; {filter}", file=sys.stderr, flush=True)
                if status != 0 or "Test run with 0 tests" in output:
                    sys.exit(f"without a change the tests {filter} fail, or there are none")
            def one(change, core):
                filter = filters[change.rsplit(":", 1)[0]]
                output, _, status = run([program, "--testing-library", "swift-testing", "--filter", filter], change, 300, core)
                names = list(dict.fromkeys(re.findall(r'Test "?([^"\n(]+?)"?(?:\(.*?\))? (?:recorded an issue|failed)', output)))
                names = [name for name in names if not name.startswith("run")]
                return {"noticed": status != 0, "what": ", ".join(names[:3]) or ("hangs" if status is None else "ends early" if status else "passed")}
            all_of(arguments, filters, lambda result: ("noticed, " if result["noticed"] else "NOT noticed, ") + result["what"], one)
        case "table":
            noticed, text = {}, {}
            for path in arguments.results:
                for change, result in json.loads(Path(path).read_text()).items():
                    noticed[change] = noticed.get(change, False) or result["noticed"]
                    text.setdefault(change, []).append(("**" if result["noticed"] else "") + result["what"] + ("**" if result["noticed"] else ""))
            print(f"{sum(noticed.values())} of {len(noticed)} changes are noticed. These are not:\n")
            print("| constant | changed to | what came |\n|---|---|---|")
            for change in noticed:
                if not noticed[change]:
                    name, factor = change.rsplit(":", 1)
                    print(f"| `{name}` | × {factor} | {'; '.join(text[change])} |")


main()
