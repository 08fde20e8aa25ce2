"""The frames of a receiver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._library import CFrame
from ._profiles import NAMES


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that was heard, with the evidence for it."""

    payload: bytes
    """Its bytes, 1 to 32. Eight are a token."""
    profile: str
    """"fast", "standard" or "far"."""
    start: int
    """The sample of the input at which it starts; negative if it began before the input."""
    end: int
    """The sample after its last one."""
    rate: int
    """The sample rate of the input, in hertz."""
    snr_db: float
    """Signal power over noise power in 1,500 Hz, in decibels, in the channel that heard it best."""
    offset_hz: float
    """The offset of its tones above their places, in hertz: Doppler and clock error."""
    channel: int
    """The channel that heard it best, from 0 on."""
    path_metric: float
    """From about 1.1 (a frame just decoded in noise; 0.9 if combined) to 4.6 (no noise); 0 if it was recognised."""
    combined: int
    """The number of repeats that were read together; 1 for a frame that was read alone."""
    recognised: bool
    """Whether it was recognised instead of decoded."""

    @property
    def token(self) -> str:
        """The payload as hexadecimal digits, two a byte."""
        return self.payload.hex()

    @property
    def text(self) -> str | None:
        """The payload as text if it is printable UTF-8, else None."""
        try:
            text = self.payload.decode()
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() else None

    @property
    def start_seconds(self) -> float:
        """The time at which it starts, in seconds from the input's first sample."""
        return self.start / self.rate

    @property
    def end_seconds(self) -> float:
        """The time at which it ends."""
        return self.end / self.rate

    def to_dict(self) -> dict[str, Any]:
        """The frame as strings and numbers for `json.dumps` or a table, with the names of `earshot decode --json`.

        `text` is None if the payload is no printable text. `combined` and `recognised` are there always.
        """
        return {
            "token": self.token,
            "text": self.text,
            "bytes": len(self.payload),
            "profile": self.profile,
            "start_s": self.start_seconds,
            "end_s": self.end_seconds,
            "snr_db": self.snr_db,
            "offset_hz": self.offset_hz,
            "channel": self.channel,
            "path_metric": self.path_metric,
            "combined": self.combined,
            "recognised": self.recognised,
        }


def frame_of(c: CFrame, rate: int) -> Frame:
    """The library's struct as a frame."""
    return Frame(
        payload=bytes(c.payload[: c.payload_size]),
        profile=NAMES[c.profile],
        start=c.start_sample,
        end=c.end_sample,
        rate=rate,
        snr_db=c.snr_decibels,
        offset_hz=c.offset_hertz,
        channel=c.channel,
        path_metric=c.path_metric,
        combined=c.combined_count,
        recognised=bool(c.is_recognised),
    )
