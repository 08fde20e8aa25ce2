"""The names of the profiles, and their bits in the library's masks."""

from __future__ import annotations

from collections.abc import Iterable

from ._library import FAR, FAST, STANDARD

NAMES = {FAST: "fast", STANDARD: "standard", FAR: "far"}
_BITS = {name: bit for bit, name in NAMES.items()}


def bit(profile: str) -> int:
    """The bit of a profile. Raises ValueError if there is none with this name."""
    try:
        return _BITS[profile]
    except (KeyError, TypeError):
        raise ValueError(f"there is no profile {profile!r}; there are {', '.join(_BITS)}") from None


def mask(profiles: str | Iterable[str]) -> int:
    """The bits of profiles, or of one. Raises ValueError if there is none."""
    if not isinstance(profiles, Iterable):
        raise TypeError(f"profiles is {profiles!r}; give one or several of {', '.join(map(repr, _BITS))}")
    names = [profiles] if isinstance(profiles, str) else list(profiles)
    if not names:
        raise ValueError("there is no profile to listen for")
    bits = 0
    for name in names:
        bits |= bit(name)
    return bits
