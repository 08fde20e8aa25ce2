"""Payloads to samples, and recordings to frames."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import library
from ._profiles import NAMES, bit
from .frame import Frame
from .receiver import Receiver, array

#: A profile: speed and reach.
Profile = Literal["fast", "standard", "far"]

#: All profiles, the fastest first: a token takes 0.555, 1.109 and 2.219 s.
PROFILES: tuple[str, ...] = tuple(NAMES.values())


def encode(
    token: str | bytes | bytearray | memoryview,
    profile: Profile = "standard",
    rate: int = 48_000,
    *,
    amplitude: float = 0.25,
    burst: int = 1,
    dtype: npt.DTypeLike = np.float32,
) -> npt.NDArray[Any]:
    """The samples of a payload, one channel, from the frame's first sample to its last.

    The same arguments give the same samples.

    Args:
        token: the payload, 1 to 32 bytes. A string holds hexadecimal digits, two a byte; for text give
            `"…".encode()`. Eight bytes are a token, whose frame is the shortest for its size.
        profile: "fast" (a token in 0.555 s), "standard" (1.109 s) or "far" (2.219 s).
        rate: samples a second, in hertz, 44,100 to 768,000.
        amplitude: the peak, above 0 and up to 1. 0.25 is -12 dBFS; children and many animals hear near-ultrasound.
        burst: how many times a token is sent, 1 to 8, for receivers with `combine`.
        dtype: float32 (full scale 1) or int16 (full scale 32,768).

    Returns:
        shape (n,), of the type `dtype`.

    Raises:
        TypeError: a token or dtype of another type.
        ValueError: an argument is out of its range; EarshotError, a ValueError, if the library said so.
    """
    payload = _payload(token)
    if not isinstance(amplitude, Real):
        raise TypeError(f"amplitude is {amplitude!r}; give a number without quotation marks")
    if not 0 < amplitude <= 1:
        raise ValueError(f"amplitude is {amplitude}; give a number above 0 and up to 1")
    if _library.unsigned(burst, "burst") < 1:
        raise ValueError(f"burst is {burst}; send it at least once")
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.int16)):
        raise TypeError(f"samples of type {kind}; choose float32 or int16")
    transmission = _library.Transmission(
        size=ctypes.sizeof(_library.Transmission),
        sample_rate_hertz=_library.unsigned(rate, "rate"),
        profile=bit(profile),
        burst_count=_library.unsigned(burst, "burst"),
        # The smallest numbers become 0 in single precision, which means the default.
        amplitude=max(float(amplitude), 1e-30),
    )
    count = ctypes.c_size_t()
    status = library.earshot_transmit_sample_count(ctypes.byref(transmission), len(payload), ctypes.byref(count))
    if status == _library.OK:
        samples = np.empty(count.value, dtype=kind)
        function = library.earshot_transmit_int16 if kind == np.int16 else library.earshot_transmit_float
        status = function(
            ctypes.byref(transmission), payload, len(payload), samples.ctypes.data, len(samples), ctypes.byref(count)
        )
    if status != _library.OK:
        _library.fail(status, f"encode {len(payload)} bytes at {rate} Hz")
    return samples


def decode(
    samples: npt.ArrayLike | Iterator[npt.ArrayLike],
    rate: int,
    *,
    profiles: str | Iterable[str] = PROFILES,
    combine: int = 1,
    separate: bool = False,
    recognise: bool = False,
) -> list[Frame]:
    """Every frame in a recording, as `earshot decode` finds them.

    Args:
        samples: shape (n,) for one channel, (n, channels) for 1 to 64. Floats have full scale 1, 16 bit integers 32,768.
            An iterator gives blocks of such samples one after another, so that a long recording needs little memory.
        rate: samples a second and channel, in hertz, 44,100 to 768,000.
        profiles, combine, separate, recognise: as in `Receiver`.

    Returns:
        the frames in the order of their ends, then of their channels.

    Raises:
        TypeError, ValueError: as in `Receiver` and `Receiver.push`.
    """
    blocks = samples if isinstance(samples, Iterator) else iter([samples])
    first = next(blocks, ())
    first = array(first)
    if first.ndim not in (1, 2):
        raise ValueError(f"samples of shape {first.shape}; give (n,) or (n, channels)")
    channels = 1 if first.ndim == 1 else first.shape[1]
    if channels > _library.MAXIMUM_CHANNELS >= first.shape[0]:
        raise ValueError(f"samples of shape {first.shape}; give (n, channels): did you mean samples.T, or for a list of blocks iter(samples)?")
    with Receiver(
        rate, channels=channels, profiles=profiles, combine=combine, separate=separate, recognise=recognise
    ) as receiver:
        frames = [frame for block in itertools.chain([first], blocks) for frame in receiver.push(block)]
        frames += receiver.flush()
    return sorted(frames, key=lambda frame: (frame.end, frame.channel, frame.start, frame.profile, frame.payload))


def _payload(token: str | bytes | bytearray | memoryview) -> bytes:
    """The bytes of a payload, 1 to 32."""
    if isinstance(token, str):
        try:
            payload = bytes.fromhex(token)
        except ValueError:
            raise ValueError(
                f"{token!r} is not hexadecimal, two digits a byte; for text give {token!r}.encode()"
            ) from None
    elif isinstance(token, (bytes, bytearray, memoryview)):
        payload = bytes(token)
    else:
        raise TypeError(f"a token of type {type(token).__name__}; give hexadecimal digits or bytes")
    if not 1 <= len(payload) <= _library.MAXIMUM_PAYLOAD:
        raise ValueError(f"a payload of {len(payload)} bytes; a frame carries 1 to {_library.MAXIMUM_PAYLOAD}")
    return payload
