"""libearshot.so by ctypes: its functions, structs and constants, as in earshot.h."""

from __future__ import annotations

import ctypes
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn

OK = 0
NO_FRAME = 1
ERROR_DROPPED = -15

FAST, STANDARD, FAR = 1, 2, 4
SEPARATE_CHANNELS, RECOGNISE_TOKENS = 1, 2

MAXIMUM_PAYLOAD = 32
MAXIMUM_CHANNELS = 64
MAXIMUM_BURST = 8
TOKEN_SIZE = 8


class EarshotError(ValueError):
    """The library refused an argument. `status` is its number in earshot.h."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ReceiverOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("sample_rate_hertz", ctypes.c_uint32),
        ("profiles", ctypes.c_uint32),
        ("channel_count", ctypes.c_uint32),
        ("combine_count", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class CFrame(ctypes.Structure):
    _fields_ = [
        ("payload", ctypes.c_uint8 * MAXIMUM_PAYLOAD),
        ("payload_size", ctypes.c_uint32),
        ("profile", ctypes.c_uint32),
        ("start_sample", ctypes.c_int64),
        ("end_sample", ctypes.c_int64),
        ("offset_hertz", ctypes.c_double),
        ("snr_decibels", ctypes.c_float),
        ("path_metric", ctypes.c_float),
        ("channel", ctypes.c_uint32),
        ("combined_count", ctypes.c_uint32),
        ("is_recognised", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class Transmission(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("sample_rate_hertz", ctypes.c_uint32),
        ("profile", ctypes.c_uint32),
        ("burst_count", ctypes.c_uint32),
        ("amplitude", ctypes.c_float),
    ]


def _load() -> ctypes.CDLL:
    """The library of this package, or otherwise the one that `make install-c` has installed."""
    own = Path(__file__).with_name("libearshot.so")
    path = str(own) if own.exists() else "libearshot.so.0"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"cannot load {path}: {error}. Install a wheel, which has it in it, or the library: Debian package libearshot0, or 'make install-c'."
        ) from error
    handle, size, status = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "earshot_version": (ctypes.c_char_p, []),
        "earshot_status_text": (ctypes.c_char_p, [status]),
        "earshot_receiver_create": (status, [ctypes.POINTER(ReceiverOptions), ctypes.POINTER(handle)]),
        "earshot_receiver_destroy": (None, [handle]),
        "earshot_receiver_push_float": (status, [handle, ctypes.c_void_p, size]),
        "earshot_receiver_push_int16": (status, [handle, ctypes.c_void_p, size]),
        "earshot_receiver_skip": (status, [handle, ctypes.c_uint64]),
        "earshot_receiver_flush": (status, [handle]),
        "earshot_receiver_poll": (status, [handle, ctypes.POINTER(CFrame), size]),
        "earshot_transmit_sample_count": (status, [ctypes.POINTER(Transmission), size, ctypes.POINTER(size)]),
    }
    for name in ("earshot_transmit_float", "earshot_transmit_int16"):
        signatures[name] = (
            status,
            [ctypes.POINTER(Transmission), ctypes.c_char_p, size, ctypes.c_void_p, size, ctypes.POINTER(size)],
        )
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


def library_version() -> str:
    """The version of the library."""
    version: bytes = library.earshot_version()
    return version.decode()


def fail(status: int, doing: str) -> NoReturn:
    """Raises the error of a status."""
    text: bytes = library.earshot_status_text(status)
    raise EarshotError(f"cannot {doing}: {text.decode()}", status)


def unsigned(value: int, name: str, bits: int = 32) -> int:
    """Checks that a whole number fits into so many bits. Without this, ctypes would truncate it."""
    if not isinstance(value, Real):
        quoted = " without quotation marks" if isinstance(value, str) else ""
        raise TypeError(f"{name} is {value!r}, of type {type(value).__name__}; give a number{quoted}")
    if value != value // 1 or value < 0:
        raise ValueError(f"{name} is {value}, not a whole number from 0 on")
    if value >= 1 << bits:
        raise ValueError(f"{name} is {value}, too large")
    return int(value)
