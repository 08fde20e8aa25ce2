#!/usr/bin/env python3
"""Advertising and scanning of a Bluetooth 4 controller, from the text of btmon.

    btmon --columns 200 --time --read FILE | air.py INDEX FROM UNTIL WINDOW [TEXT@BEGIN...]

The times are seconds of the day. Each TEXT is a part of an advertisement's data in hexadecimal digits, wanted on the air from BEGIN
on. A line for each: the text, the seconds from BEGIN to its first time on the air, its share of the time from then to UNTIL, the
share of windows of WINDOW seconds from then on in which it was on the air, and how often it began. The last lines: the share of the time in
which anything was on the air, and in which the controller scanned.
"""
import re
import sys

STEP_SECONDS = 0.1


def intervals(lines, index):
    """The times (begin, end, text) of advertising, and (begin, end) of scanning; an end is infinite if none came."""
    command = event = None
    data = ""
    wanted = {}
    sent, scanned = [], []
    time = 0.0
    for line in lines:
        head = re.match(r"^[<>=@] .*\[(hci\d+)\]\s+(\d+):(\d+):([\d.]+)\s*$", line)
        if re.match(r"^[<>=@] ", line):
            command = event = None
            if head is None or head.group(1) != index:
                continue
            time = int(head.group(2)) * 3600 + int(head.group(3)) * 60 + float(head.group(4))
            if line.startswith("<"):
                command = line
                if "LE Set Advertising Data" in line:
                    data = ""
            elif "Command Complete" in line or "Command Status" in line:
                event = ""
            continue
        text = line.strip()
        if command is not None:
            if "LE Set Advertising Data" in command:
                data += text.replace(" ", "").lower()
            for name, key in (("Advertising", "advertise"), ("Scanning", "scan")):
                if text.startswith(name + ": ") and "Enable" in command:
                    wanted[key] = text.startswith(name + ": Enabled")
        elif event is not None:
            for name, key in (("LE Set Advertise Enable", "advertise"), ("LE Set Scan Enable", "scan")):
                if text.startswith(name):
                    event = key
            if text.startswith("Status: Success") and event in wanted:
                list_ = sent if event == "advertise" else scanned
                if list_ and list_[-1][1] is None:
                    list_[-1][1] = time
                if wanted[event]:
                    list_.append([time, None, data])
    for list_ in (sent, scanned):
        if list_ and list_[-1][1] is None:
            list_[-1][1] = float("inf")
    return sent, scanned


def share(spans, begin, end):
    """The share of a time that spans cover."""
    covered = sum(max(0.0, min(last, end) - max(first, begin)) for first, last, _ in spans)
    return covered / (end - begin) if end > begin else 0.0


def main():
    index, (begin, end, window) = sys.argv[1], map(float, sys.argv[2:5])
    sent, scanned = intervals(sys.stdin, index)
    for argument in sys.argv[5:]:
        text, _, wanted = argument.partition("@")
        since = float(wanted or begin)
        spans = [span for span in sent if text in span[2] and span[1] > since]
        if not spans:
            print(text, "never 0 0 0")
            continue
        first = max(spans[0][0], since)
        count = max(0, int((end - window - first) / STEP_SECONDS))
        windows = [first + number * STEP_SECONDS for number in range(count)]
        heard = sum(any(a < at + window and b > at for a, b, _ in spans) for at in windows)
        print(text, f"{first - since:.2f} {share(spans, first, end):.3f} {heard / max(1, count):.3f} {len(spans)}")
    print("anything", f"{share(sent, begin, end):.3f}")
    print("scanning", f"{share(scanned, begin, end):.3f}")


main()
