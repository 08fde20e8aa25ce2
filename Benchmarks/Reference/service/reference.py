"""The service with which Server/Benchmarks/compare.sh compares earshotd's speed.

It answers the requests of Server/Benchmarks/load.lua in the simplest honest way. A request costs five selects and five inserts
in one transaction of SQLite, with a write-ahead log and synchronous=FULL: the commit is on the disk before the answer leaves. It has
no sessions, limits, matching or events. DATABASE names its file.
"""

import json
import os
import sqlite3

SCHEMA = """
CREATE TABLE token (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE record (id INTEGER PRIMARY KEY, token INTEGER, text TEXT NOT NULL);
"""


def opened(path):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
        database.executescript(SCHEMA)
        with open(os.environ["TOKENS"], encoding="ascii") as tokens:
            database.executemany("INSERT OR IGNORE INTO token (name) VALUES (?)", ([line.strip()] for line in tokens))
    return database


database = opened(os.environ["DATABASE"])


def record(texts):
    """Looks each text up among the tokens, and stores it."""
    entries = []
    database.execute("BEGIN IMMEDIATE")
    for text in texts:
        row = database.execute("SELECT id FROM token WHERE name = ?", (text,)).fetchone()
        database.execute("INSERT INTO record (token, text) VALUES (?, ?)", (row and row[0], text))
        entries.append({"status": "VALID" if row else "INVALID", "token": text})
    database.execute("COMMIT")
    return entries


async def app(scope, receive, send):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    order = json.loads(body)
    if scope["path"] == "/v1/sightings":
        answer = {"heard": record(order["heard"]), "lost": []}
    else:
        # A publication stores its content once; four empty texts complete the five rows.
        record([order["content"], "", "", "", ""])
        answer = {"content_bytes": len(order["content"]) * 3 // 4}
    data = json.dumps(answer).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": data})
