"""Tokens and short payloads as near-ultrasound, 18.5 to 20 kHz.

    import earshot
    sound = earshot.encode("0123456789abcdef", "standard", 48_000)
    print(earshot.decode(sound, 48_000))

`encode` turns a payload into samples, `decode` finds every frame in a recording, and `Receiver` does so in sound as it
arrives. Samples are NumPy arrays, floats with full scale 1 or 16 bit integers. The modem is the shared library of
Earshot, the same code as the `earshot` command.
"""

from ._library import EarshotError
from .coding import PROFILES, Profile, decode, encode
from .frame import Frame
from .receiver import Receiver
from ._library import library_version as _library_version

__all__ = ["PROFILES", "EarshotError", "Frame", "Profile", "Receiver", "__version__", "decode", "encode"]

#: The version of the library, such as "0.2.0".
__version__: str = _library_version()
