#!/usr/bin/env python3
"""Measures the memory and processor time for devices that stay, each with an open event stream, as our clients have.

    streams.py [--tls] PORT PROCESS DEVICES SECONDS [ROOM] [HEARD] [SENDERS]

fill.py filled the database. Each device opens its stream; then each reports the tokens it hears, and finds their messages; then, for
SECONDS, each sends three requests a minute: a report of known tokens, and two renewals with new tokens. The processor time and the memory
are those of PROCESS. It prints the rows of a table. With SENDERS it then sends, for SECONDS, as many requests as this many devices do: a
request costs less the more of them there are.
"""
import asyncio
import os
import random
import ssl
import sys
import time

tls = None
if sys.argv[1] == "--tls":
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    del sys.argv[1]
port, process, devices, seconds = (int(argument) for argument in sys.argv[1:5])
room = int(sys.argv[5]) if len(sys.argv) > 5 else 100
heard = int(sys.argv[6]) if len(sys.argv) > 6 else 10
senders = int(sys.argv[7]) if len(sys.argv) > 7 else 0
PERIOD_SECONDS = 60
# Each stream gets two comments in this time, one every 15 s.
QUIET_SECONDS = 30
CONNECTIONS = 32


def memory_kilobytes():
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def processor_seconds():
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def head(method, path, device, body=""):
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer earshot-session-{device:064x}\r\n{length}\r\n{body}"
    ).encode()


class Stream(asyncio.Protocol):
    """Counts events and stores none."""

    found = lost = closed = ready = 0

    def __init__(self, device):
        self.device = device

    def connection_made(self, transport):
        self.transport = transport
        transport.write(head("GET", "/v1/events", self.device))

    def data_received(self, data):
        Stream.ready += data.count(b"event: ready")
        Stream.found += data.count(b"event: found")
        Stream.lost += data.count(b"event: lost")

    def connection_lost(self, _):
        Stream.closed += 1


class Caller:
    """A connection for requests, one after the other."""

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
        return self

    async def send(self, *request):
        self.writer.write(head(*request))
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        length = next(
            (int(line[15:]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        await self.reader.readexactly(length)
        if status >= 300:
            sys.exit(f"{request[0]} {request[1]}: {status}")


def report(device):
    first = device - device % room
    tokens = (4096 + first + (device - first + index) % room for index in range(1, heard + 1))
    return "POST", "/v1/sightings", device, '{"heard":[' + ",".join(f'"{token:016x}"' for token in tokens) + "]}"


def renewal(kind, device):
    return "PUT", f"/v1/{kind}/{device:032x}", device, '{"ttl_s":86400}'


async def main():
    loop = asyncio.get_running_loop()
    before, streams, began = memory_kilobytes(), [], time.monotonic()
    for device in range(devices):
        streams.append((await loop.create_connection(lambda: Stream(device), "127.0.0.1", port, ssl=tls))[0])
        while len(streams) - Stream.ready > 200:
            await asyncio.sleep(0.002)
    while Stream.ready < devices:
        await asyncio.sleep(0.01)
    opened = time.monotonic() - began
    used = processor_seconds()
    await asyncio.sleep(QUIET_SECONDS)
    used, quiet = processor_seconds() - used, memory_kilobytes()
    print(
        f"| {devices} streams opened, and quiet | {devices / opened:.0f}/s "
        f"| {used / QUIET_SECONDS:.3f} cores, {100_000 / devices * used / QUIET_SECONDS:.2f} for 100,000 devices "
        f"| {1024 * (quiet - before) / devices / 1000:.1f} KB a stream |"
    )

    callers = [await Caller().open() for _ in range(CONNECTIONS)]
    free = asyncio.Queue()
    for caller in callers:
        free.put_nowait(caller)
    times = []

    async def send(*request):
        caller = await free.get()
        sent = time.monotonic()
        await caller.send(*request)
        times.append(time.monotonic() - sent)
        free.put_nowait(caller)

    began, used = time.monotonic(), processor_seconds()

    async def arrive(share):
        for device in range(share, devices, CONNECTIONS):
            await send(*report(device))

    await asyncio.gather(*(arrive(share) for share in range(CONNECTIONS)))
    took, used = time.monotonic() - began, processor_seconds() - used
    late = time.monotonic()
    while Stream.found < devices * heard and time.monotonic() - late < 30:
        await asyncio.sleep(0.01)
    late = time.monotonic() - late
    print(
        f"| arrive, {Stream.found} of {devices * heard} found, the last {late:.1f} s after the last report "
        f"| {devices / took:.0f}/s | {1000 * used / devices:.2f} ms a device | |"
    )

    async def stay(count):
        """The requests of `count` devices. The connected devices, which may be fewer, send them in a shorter period."""
        period = PERIOD_SECONDS * devices / count
        # Each device has its moment in the period.
        due = sorted((random.random() * period, device, kind) for device in range(devices) for kind in range(3))
        times.clear()
        began, used, tasks, lost = time.monotonic(), processor_seconds(), set(), Stream.lost
        for turn in range(1 + int(seconds / period)):
            for moment, device, kind in due:
                moment += turn * period
                if moment >= seconds:
                    break
                pause = began + moment - time.monotonic()
                if pause > 0.001:
                    await asyncio.sleep(pause)
                request = report(device) if kind == 0 else renewal(("publications", "subscriptions")[kind - 1], device)
                task = asyncio.create_task(send(*request))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        took, used = time.monotonic() - began, processor_seconds() - used
        times.sort()
        print(
            f"| requests of {count} devices, {Stream.lost - lost} lost, {Stream.closed} streams ended "
            f"| {len(times) / took:.0f}/s, p99 {1000 * times[len(times) * 99 // 100]:.1f} ms "
            f"| {used / took:.3f} cores, {1000 * used / len(times):.2f} ms a request | {memory_kilobytes() // 1000} MB |"
        )

    await stay(devices)
    if senders:
        await stay(senders)
    for stream in streams:
        stream.close()
    # The service gives memory back once a minute.
    await asyncio.sleep(65)
    print(f"| all streams closed | | | {(memory_kilobytes() - before) // 1000} MB above the beginning |")


asyncio.run(main())
