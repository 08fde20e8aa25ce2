#!/usr/bin/env python3
"""Puts devices into a service's SQLite database, each with a publication, a subscription and their tokens.

    fill.py DATABASE DEVICES

The session of device n is earshot-session- and n in 64 hexadecimal digits; its publication and its subscription have n in 32 digits as their
identifier; their tokens are 4096 + n and -4096 - n. The first renewal of each item issues the next token.
"""
import hashlib
import sqlite3
import sys
import time

database, count = sqlite3.connect(sys.argv[1]), int(sys.argv[2])
devices = range(count)
now = int(time.time() * 1000)
later = now + 86_400_000


def token(number):
    return number.to_bytes(8, "big", signed=True)


database.executemany(
    "INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten) VALUES (?, ?, ?, 1, ?, ?, 0, 0)",
    (
        (n + 1, f"d{n}", 1 + n // 10_000 % 10, hashlib.sha256(b"earshot-session-%064x" % n).digest(), later)
        for n in devices
    ),
)
database.executemany(
    "INSERT INTO publication (id, identifier, device_id, project_id, namespace, type, expires_at, content_count, content)"
    " VALUES (?, ?, ?, 1, '', '', ?, 192, ?)",
    ((n + 1, f"{n:032x}", n + 1, later, b"A" * 192) for n in devices),
)
database.executemany(
    "INSERT INTO subscription (id, identifier, device_id, project_id, namespace, type, expires_at) VALUES (?, ?, ?, 1, '', '', ?)",
    ((n + 1, f"{n:032x}", n + 1, later) for n in devices),
)
database.executemany(
    "INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at)"
    " VALUES (?, 1, ?, ?, ?, ?, ?, ?)",
    (
        row
        for n in devices
        for row in (
            (n + 1, token(4096 + n), n + 1, n + 1, None, now - 61_000, now + 3_600_000),
            (count + n + 1, token(-4096 - n), n + 1, None, n + 1, now - 61_000, now + 3_600_000),
        )
    ),
)
database.commit()
