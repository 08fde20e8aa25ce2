"""The honest devices of attack.sh. It prints their success and latency, and wrk's figures about the attackers."""
import asyncio, base64, json, random, subprocess, sys, time, urllib.parse

base, key, seconds, attackers, connections, scratch, kind = sys.argv[1:]
seconds, attackers, connections = int(seconds), int(attackers), int(connections)
DEVICES, PERIOD_SECONDS, KNOWN = 200, 5, 5
FOREIGN_PER_MINUTE = 20_000
address = urllib.parse.urlparse(base)
random.seed(11)


class Connection:
    """A connection that is kept open, with one request at a time."""

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(address.hostname, address.port)
        return self

    async def send(self, bearer, path, body):
        body = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        status, length = int((await self.reader.readline()).split()[1]), 0
        while (line := await self.reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return status, json.loads(await self.reader.readexactly(length))


def token(is_published):
    """The additional fields of an order in a sealed project: a token that the device drew, and a publication's key for it."""
    if kind != "sealed":
        return {}
    drawn = {"token": f"{random.getrandbits(64):016x}"}
    return {"token": drawn | ({"key": base64.b64encode(random.randbytes(60)).decode()} if is_published else {})}


async def join(device):
    connection = await Connection().open()
    session = (await connection.send(key, "/v1/devices", {"sealing": [1]}))[1]["session"]
    if device % 2:
        await connection.send(session, "/v1/subscriptions", token(False))
    published = (await connection.send(session, "/v1/publications", {"content": "aGVsbG8="} | token(True)))[1]
    return connection, session, published["token"]["token"], published["id"]


async def live(device, tokens, connection, session, publication, latencies, failures):
    foreign = FOREIGN_PER_MINUTE * PERIOD_SECONDS // 60 / DEVICES if attackers else 0
    near = [tokens[(device + step) % DEVICES] for step in range(1, KNOWN + 1)]
    keys = [{"publication": publication} | token(True)["token"] | {"token": heard} for heard in near] if kind == "sealed" else []
    start = time.monotonic() + random.uniform(0, PERIOD_SECONDS)
    for round in range(seconds // PERIOD_SECONDS):
        await asyncio.sleep(max(0, start + round * PERIOD_SECONDS - time.monotonic()))
        strangers = [f"{random.getrandbits(64):016x}" for _ in range(int(foreign + random.random()))]
        begin = time.monotonic()
        status, answer = await connection.send(session, "/v1/sightings", {"heard": near + strangers} | ({"keys": keys} if keys else {}))
        latencies.append(time.monotonic() - begin)
        statuses = [entry["status"] for entry in answer.get("heard", [])]
        if status != 200 or statuses != ["VALID"] * KNOWN + ["INVALID"] * len(strangers):
            failures.append((status, statuses))


async def main():
    devices = await asyncio.gather(*(join(device) for device in range(DEVICES)))
    tokens = [drawn for _, _, drawn, _ in devices]
    attack = None
    if attackers:
        with open(scratch + "/attackers", "w") as file:
            for _ in range(attackers):
                connection = await Connection().open()
                print((await connection.send(key, "/v1/devices", {"sealing": [1]}))[1]["session"], file=file)
        lua = __file__.removesuffix(".py") + ".lua"
        attack = subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", str(attackers * connections), "--duration", f"{seconds + 5}s",
             "--timeout", "10s", "--script", lua, base, "--", scratch + "/attackers"], stdout=subprocess.PIPE, text=True)
        await asyncio.sleep(1)
    latencies, failures = [], []
    await asyncio.gather(
        *(live(device, tokens, connection, session, publication, latencies, failures)
          for device, (connection, session, _, publication) in enumerate(devices)))
    latencies.sort()
    print(f"{attackers} attackers: {len(latencies)} honest reports, {len(failures)} failed, "
          + ", ".join(f"p{p} {1000 * latencies[int(len(latencies) * p / 100)]:.1f} ms" for p in (50, 90, 99))
          + f", longest {1000 * latencies[-1]:.1f} ms")
    if failures:
        print("first failure:", failures[0])
    if attack:
        for line in attack.communicate()[0].splitlines():
            if "requests in" in line or "Non-2xx" in line:
                print("the attackers:", line.strip())


asyncio.run(main())
