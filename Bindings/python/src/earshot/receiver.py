"""Frames in sound as it arrives."""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import library
from ._profiles import NAMES, mask
from .frame import Frame, frame_of

_FLOATS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
_INT16 = np.dtype(np.int16)
# The library clips floats there, so that no sum overflows. Integers that became floats exceed it.
_CLIP = 100.0
# Looks at so few samples that it costs nothing; loud sound exceeds the limit for many.
_LOOK = 61
# Samples of a channel in one call: 0.7 s at 48 kHz. Few frames end in that time, so none is dropped.
_BLOCK = 32_768


def _is_too_loud(samples: npt.NDArray[Any]) -> bool:
    """Whether a finite sample is beyond the clipping level. Infinity and NaN are no sound, and say nothing of the scale."""
    levels = np.abs(samples)
    return bool(((levels > _CLIP) & (levels < np.inf)).any())


def array(samples: npt.ArrayLike) -> npt.NDArray[Any]:
    """The samples as an array."""
    if samples is None or isinstance(samples, str | bytes | bytearray | os.PathLike):
        raise TypeError(
            "samples is no array; for bytes give np.frombuffer(samples, dtype=\"<i2\"), of a "
            "file read the file first, for instance with wave or soundfile, see the README"
        )
    if callable(samples):
        raise TypeError("samples is a function; call it")
    if isinstance(samples, tuple) and len(samples) == 2 and isinstance(samples[1], int | float):
        raise TypeError("samples is a pair; unpack it first, as in: samples, rate = soundfile.read(path)")
    if isinstance(samples, int | float):
        raise TypeError(f"samples is the number {samples}; give the samples first, and then the rate")
    try:
        return np.asarray(samples)
    except ValueError:
        raise ValueError("samples are rows of different lengths; for a list of blocks give decode iter(samples)") from None


class Receiver:
    """Takes samples and finds frames.

        receiver = earshot.Receiver(48_000)
        for block in blocks:
            for frame in receiver.push(block):
                print(frame.token)
        print(receiver.flush())

    Blocks may have any size, and the frames do not depend on how the input is cut. Several threads may share a receiver:
    they wait for each other. It takes up to 9 MB a channel, which `close`, the end of a `with` block or the garbage
    collector gives back. The library's work runs without Python's global lock.
    """

    def __init__(
        self,
        rate: int,
        *,
        channels: int = 1,
        profiles: str | Iterable[str] = tuple(NAMES.values()),
        combine: int = 1,
        separate: bool = False,
        recognise: bool = False,
    ) -> None:
        """A receiver at the start of its input.

        Args:
            rate: samples a second and channel, in hertz, 44,100 to 768,000.
            channels: 1 to 64. Two to eight are the microphones of one device and heard as one; more are separate.
            profiles: the profiles to listen for: "fast", "standard", "far", or several of them.
            combine: how many repeats of a token in a burst are read together, 2 to 8; 1 for none.
            separate: decode each channel by itself.
            recognise: also report frames that cannot be decoded but have most tones of a token that was decoded less
                than a minute before.

        Raises:
            TypeError: rate="48000" or the like: a text in place of a number.
            ValueError: an argument is out of its range; EarshotError, a ValueError, if the library said so.
        """
        # Set first, for __del__ after an error.
        self._handle: ctypes.c_void_p | None = None
        self._lock = threading.Lock()
        self._warned = False
        self._rate = _library.unsigned(rate, "rate")
        self._channels = _library.unsigned(channels, "channels")
        if self._channels == 0:
            raise ValueError("channels is 0; a receiver hears at least one")
        combined = _library.unsigned(combine, "combine")
        if not 1 <= combined <= _library.MAXIMUM_BURST:
            raise ValueError(f"combine is {combine}; give 1 for none, or up to {_library.MAXIMUM_BURST} repeats")
        options = _library.ReceiverOptions(
            size=ctypes.sizeof(_library.ReceiverOptions),
            sample_rate_hertz=self._rate,
            profiles=mask(profiles),
            channel_count=self._channels,
            combine_count=combined,
            flags=(_library.SEPARATE_CHANNELS if separate else 0) | (_library.RECOGNISE_TOKENS if recognise else 0),
        )
        handle = ctypes.c_void_p()
        status = library.earshot_receiver_create(ctypes.byref(options), ctypes.byref(handle))
        if status != _library.OK:
            _library.fail(status, f"receive {self._channels} channels at {self._rate} Hz")
        self._handle = handle

    @property
    def rate(self) -> int:
        """Samples a second and channel, in hertz."""
        return self._rate

    @property
    def channels(self) -> int:
        """The number of channels."""
        return self._channels

    def push(self, samples: npt.ArrayLike) -> list[Frame]:
        """Takes a block in and returns the frames that ended.

        Args:
            samples: shape (n,) for one channel, (n, channels) for any number. Floats have full scale 1, 16 bit integers
                32,768. NaN counts as silence. Floats beyond ±100 are clipped, infinity too. Integers that became floats are
                so loud: a warning says so once.
                Other integers are refused, because their full scale is unknown.

        Raises:
            TypeError: samples of another type.
            ValueError: samples of another shape, or the receiver was flushed or closed.
        """
        block, is_float = self._checked(array(samples))
        push = library.earshot_receiver_push_float if is_float else library.earshot_receiver_push_int16
        frames: list[Frame] = []
        with self._lock:
            # An empty block is pushed too, so that errors do not depend on sizes.
            for first in range(0, max(len(block), 1), _BLOCK):
                # Block by block, so that a long recording needs no copy of its own where one is needed at all.
                kind = np.float32 if is_float else np.int16
                part = np.require(block[first : first + _BLOCK], dtype=kind, requirements=["C", "A"])
                if is_float and not self._warned and _is_too_loud(part[::_LOOK]):
                    self._warned = True
                    warnings.warn(
                        f"float samples beyond ±{_CLIP:.0f} are clipped, because full scale is 1; divide 16 bit integers by "
                        "32768, or give them as int16",
                        stacklevel=2,
                    )
                frames += self._take(push, part.ctypes.data, len(part))
        return frames

    def skip(self, samples: int) -> list[Frame]:
        """Passes over samples of each channel that existed but were lost, and returns the frames that ended.

        A hole is not silence: a frame with a hole in it is decoded from the rest if that suffices, and those after it
        keep their place.

        Raises:
            TypeError: no number.
            ValueError: no whole number from 0 on, or the receiver was flushed or closed.
        """
        # The library counts to 2⁶⁴, centuries of sound.
        count = min(_library.unsigned(samples, "samples", bits=1_024), (1 << 64) - 1)
        with self._lock:
            return self._take(library.earshot_receiver_skip, count)

    def flush(self) -> list[Frame]:
        """Ends the input and returns the frames that can still be found. Pushing is an error from now on.

        Raises:
            ValueError: the receiver was closed.
        """
        with self._lock:
            return self._take(library.earshot_receiver_flush)

    def close(self) -> None:
        """Gives the receiver's memory back. Closing again does nothing; all else is an error from now on."""
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            library.earshot_receiver_destroy(handle)

    def __enter__(self) -> Receiver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Nothing else can hold the lock: this is the last reference.
        handle = getattr(self, "_handle", None)
        if handle is not None and library is not None:
            self._handle = None
            library.earshot_receiver_destroy(handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Receiver cannot be pickled or copied, because its state is the library's; make one in each process, or "
            "pickle the frames"
        )

    def __repr__(self) -> str:
        state = "closed " if self._handle is None else ""
        return f"<{state}earshot.Receiver at {self._rate} Hz, {self._channels} channel{'s' * (self._channels > 1)}>"

    def _checked(self, samples: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], bool]:
        """The samples with one row a sample of all channels, and whether they are floats."""
        if samples.ndim == 1 and self._channels == 1:
            samples = samples.reshape(-1, 1)
        if samples.ndim != 2 or samples.shape[1] != self._channels:
            shapes = "(n,) or (n, 1)" if self._channels == 1 else f"(n, {self._channels})"
            hint = "; did you mean samples.T?" if samples.ndim == 2 and samples.shape[0] == self._channels else ""
            raise ValueError(f"samples of shape {samples.shape}; the receiver takes {shapes}{hint}")
        if samples.dtype.newbyteorder("=") in _FLOATS:
            return samples, True
        if samples.dtype.newbyteorder("=") == _INT16:
            return samples, False
        # An empty list is an array of floats.
        raise TypeError(
            f"samples of type {samples.dtype}; give floats of ±1 or int16 (integers of 32 bits: samples / 2.0**31, "
            "bytes: (samples - 128.0) / 128)"
        )

    def _take(self, function: Any, *arguments: int) -> list[Frame]:
        """Passes input to the receiver, with the lock held."""
        if self._handle is None:
            raise ValueError("the receiver is closed")
        status = function(self._handle, *arguments)
        # Blocks are too short for so many frames; if it happened, losing them silently would be worse.
        if status != _library.OK:
            _library.fail(status, "take the samples")
        frames: list[Frame] = []
        c = _library.CFrame()
        while library.earshot_receiver_poll(self._handle, ctypes.byref(c), ctypes.sizeof(c)) == _library.OK:
            frames.append(frame_of(c, self._rate))
        return frames
