#!/usr/bin/env python3
"""Makes sealing.json: vectors of sealed messages, from section 12 of docs/PROTOCOL.md alone.

    python3 Tests/Nearby/EarshotSealingTests/Vectors/make_vectors.py

It shares no code with the Swift implementation: the cryptography is that of Debian's python3-cryptography. Keys and nonces, which a
device draws at random, come from SHA-256 of the names below, so every run writes the same file.
"""

import hashlib
import json
from pathlib import Path

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC


def drawn(name, count):
    return hashlib.sha256(f"earshot vector {name}".encode()).digest()[:count]


def mac(key, message):
    state = hmac.HMAC(key, hashes.SHA256())
    state.update(message)
    return state.finalize()


def gcm(key, associated, message, nonce):
    return nonce + AESGCM(key).encrypt(nonce, message, associated)


def tag(salt, kind, text):
    return mac(salt, kind.encode() + b"\0" + text.encode())[:16].hex() if text else ""


def vector(number, rounds, namespace, type_, content):
    salt, token, key = drawn(f"salt {number}", 16), drawn(f"token {number}", 8), drawn(f"key {number}", 32)
    secret = PBKDF2HMAC(hashes.SHA256(), 32, salt, rounds).derive(token)
    identifier = mac(secret, b"earshot identifier 1")[:8]
    wrapping = mac(secret, b"earshot wrapping key 1")
    name, kind = namespace.encode(), type_.encode()
    message = len(name).to_bytes(2, "big") + name + len(kind).to_bytes(2, "big") + kind + content
    return {
        "salt": salt.hex(),
        "rounds": rounds,
        "token": token.hex(),
        "identifier": identifier.hex(),
        "wrapping_key": wrapping.hex(),
        "namespace": namespace,
        "type": type_,
        "content": content.hex(),
        "namespace_tag": tag(salt, "namespace", namespace),
        "type_tag": tag(salt, "type", type_),
        "content_key": key.hex(),
        "sealed": gcm(key, b"earshot message 1", message, drawn(f"nonce {number}", 12)).hex(),
        "wrapped": gcm(wrapping, b"earshot key 1" + identifier, key, drawn(f"wrapping nonce {number}", 12)).hex(),
    }


CASES = [
    (1000, "", "greeting", b"hello"),
    (1000, "", "", b""),
    (100, "org.example.museum", "", bytes(range(256))),
    (1000, "ein Raum", "Grüße", "wie geht's? \N{GRINNING FACE}".encode()),
    (2048, "n" * 64, "t" * 32, b"\0" * 1000),
    (500, "", "x", b"\xff\x00"),
    (100000, "", "slow", b"the most rounds"),
]

vectors = [vector(index + 1, *case) for index, case in enumerate(CASES)]
path = Path(__file__).resolve().parent / "sealing.json"
path.write_text(json.dumps(vectors, indent=1, ensure_ascii=False) + "\n")
for name, value in vectors[0].items():
    print(f"    {name:14}{value}")
