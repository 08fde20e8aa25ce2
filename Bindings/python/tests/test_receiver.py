"""Streams and recordings to frames."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import earshot

TOKEN = "0123456789abcdef"


def noisy(seed: int = 5, snr_db: float = 6) -> npt.NDArray[np.float32]:
    """Six seconds with a frame of each profile; SNR is that of a sine of the peak in 1,500 Hz."""
    deviation = np.sqrt(0.25**2 / 2 / 10 ** (snr_db / 10) * 16)
    sound = np.random.default_rng(seed).normal(0, deviation, 6 * 48_000).astype(np.float32)
    for profile, start in [("fast", 24_000), ("standard", 60_000), ("far", 130_000)]:
        frame = earshot.encode(TOKEN, profile)
        sound[start : start + len(frame)] += frame
    return sound


def test_a_frame_says_what_was_heard() -> None:
    sound = np.concatenate([np.zeros(4_800), earshot.encode(b"Hello, room", "fast"), np.zeros(4_800)])
    (frame,) = earshot.decode(sound, 48_000)
    assert (frame.payload, frame.text, frame.token) == (b"Hello, room", "Hello, room", b"Hello, room".hex())
    assert (frame.profile, frame.channel, frame.combined, frame.recognised) == ("fast", 0, 1, False)
    assert abs(frame.start - 4_800) < 48 and abs(frame.end - (len(sound) - 4_800)) < 48
    assert frame.start_seconds == frame.start / 48_000 and frame.end_seconds == frame.end / 48_000
    assert frame.snr_db > 40 and abs(frame.offset_hz) < 1 and frame.path_metric > 3
    assert frame == earshot.decode(sound, 48_000)[0]
    with pytest.raises(AttributeError):
        frame.start = 0  # type: ignore[misc]


@pytest.mark.parametrize("payload", [b"\xff\xfe", b"a\nb", b"\x00"])
def test_a_payload_that_is_no_text_has_none(payload: bytes) -> None:
    (frame,) = earshot.decode(earshot.encode(payload, "fast"), 48_000)
    assert frame.payload == payload and frame.text is None


def test_integers_given_as_floats_are_warned_of_once() -> None:
    sound = np.rint(32_767 * noisy()).astype(np.float32)
    with pytest.warns(UserWarning, match="float samples beyond ±100 are clipped.*divide 16 bit integers by 32768") as warned:
        earshot.decode(iter([sound, sound]), 48_000)
    assert len(warned) == 1
    # NaN in another channel hides nothing.
    with pytest.warns(UserWarning, match="beyond ±100"):
        earshot.decode(np.stack([np.full_like(sound, np.nan), sound], axis=1), 48_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(earshot.decode(sound / 32_768, 48_000)) == 3
        assert len(earshot.decode(sound.astype(np.int16), 48_000)) == 3
        assert earshot.decode(np.full(9_600, np.nan), 48_000) == []


def test_any_split_gives_the_same_frames() -> None:
    sound, random = noisy(), np.random.default_rng(11)
    whole = earshot.decode(sound, 48_000)
    assert [frame.profile for frame in whole] == ["fast", "standard", "far"]
    for largest in (20, 4_096, 100_000):
        receiver, frames, first = earshot.Receiver(48_000), list[earshot.Frame](), 0
        while first < len(sound):
            size = int(random.integers(0, largest + 1))
            frames += receiver.push(sound[first : first + size])
            first += size
        assert frames + receiver.flush() == whole


def test_kinds_of_arrays_give_the_same_frames() -> None:
    integers = np.round(noisy() * 20_000).clip(-32_768, 32_767).astype(np.int16)
    expected = earshot.decode(integers, 48_000)
    assert len(expected) == 3
    floats = integers / np.float32(32_768)
    both = np.stack([floats, np.zeros_like(floats)], axis=1)
    for samples in (
        floats, floats.astype(np.float64), floats.astype(">f4"), integers.astype(">i2"), integers.reshape(-1, 1),
        np.asfortranarray(both)[:, 0], np.repeat(integers, 3)[::3], floats[::-1][::-1],
    ):
        assert earshot.decode(samples, 48_000) == expected
    assert earshot.decode(floats[: 48_000 * 2].tolist(), 48_000) == earshot.decode(floats[: 48_000 * 2], 48_000)


def test_samples_that_are_not_aligned() -> None:
    integers = earshot.encode(TOKEN, "fast", dtype=np.int16)
    crooked = np.frombuffer(b"x" + integers.tobytes(), dtype=np.int16, offset=1)
    assert not crooked.flags.aligned
    assert len(earshot.decode(crooked, 48_000)) == 1


def test_channels_together_and_apart() -> None:
    # The receiver compares the channels' noise, so there is some before the frame.
    sound = np.concatenate([np.zeros(4_800), earshot.encode(TOKEN, "fast")])
    noise = np.random.default_rng(3).normal(0, 0.01, (len(sound), 3))
    channels = noise + np.outer(sound, [0.2, 0, 1])
    (frame,) = earshot.decode(channels, 48_000)
    assert frame.channel == 2 and frame.token == TOKEN
    assert [frame.channel for frame in earshot.decode(channels, 48_000, separate=True)] == [0, 2]


def test_profiles_that_were_not_chosen_are_not_heard() -> None:
    sound = noisy()
    assert [frame.profile for frame in earshot.decode(sound, 48_000, profiles="far")] == ["far"]
    assert [frame.profile for frame in earshot.decode(sound, 48_000, profiles=["far", "fast"])] == ["fast", "far"]


def test_bursts_are_combined_on_request() -> None:
    # 2.6 dB below what nine of ten single tokens need; seeds 31 to 36.
    combined = 0
    for seed in range(31, 37):
        burst = earshot.encode(TOKEN, burst=4)
        noise = np.random.default_rng(seed).normal(0, np.sqrt(0.25**2 / 2 / 10**-1.2 * 16), len(burst) + 48_000)
        noise[24_000 : 24_000 + len(burst)] += burst
        combined += sum(frame.combined > 1 for frame in earshot.decode(noise, 48_000, combine=4))
        assert all(frame.combined == 1 for frame in earshot.decode(noise, 48_000))
    assert combined >= 2


def test_known_tokens_are_recognised_on_request() -> None:
    # A clear token, then ten of which about one in six decodes.
    token = earshot.encode(TOKEN)
    sound = np.random.default_rng(43).normal(0, np.sqrt(0.25**2 / 2 / 10**-1.15 * 16), 48_000 * 18)
    sound[48_000 : 48_000 + len(token)] += 20 * token
    for index in range(1, 11):
        start = 48_000 + index * 72_000
        sound[start : start + len(token)] += token
    plain, recognised = earshot.decode(sound, 48_000), earshot.decode(sound, 48_000, recognise=True)
    assert len(plain) < len(recognised) and {frame.token for frame in recognised} == {TOKEN}
    assert any(frame.recognised for frame in recognised) and not any(frame.recognised for frame in plain)


def test_a_hole_keeps_the_time() -> None:
    receiver = earshot.Receiver(48_000)
    frames = receiver.push(np.zeros(10_000)) + receiver.skip(7_000_000)
    frames += receiver.push(earshot.encode(TOKEN)) + receiver.flush()
    assert [frame.token for frame in frames] == [TOKEN] and abs(frames[0].start - 7_010_000) < 48
    assert receiver.flush() == []


def test_a_hole_of_any_size() -> None:
    receiver = earshot.Receiver(48_000)
    assert receiver.skip(10**30) == [] and receiver.skip(0) == []
    assert len(receiver.push(earshot.encode(TOKEN)) + receiver.flush()) == 1


def test_nan_is_silence() -> None:
    sound = np.concatenate([np.full(9_600, np.nan), earshot.encode(TOKEN), np.full(9_600, np.inf)])
    assert [frame.token for frame in earshot.decode(sound, 48_000)] == [TOKEN]


def test_nothing_is_heard_in_nothing() -> None:
    nothing: list[Any] = [[], np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int16), np.zeros(100_000)]
    for samples in nothing:
        assert earshot.decode(samples, 48_000) == []


def test_the_end() -> None:
    receiver = earshot.Receiver(48_000)
    receiver.flush()
    with pytest.raises(earshot.EarshotError, match="flushed"):
        receiver.push(np.zeros(10))
    with pytest.raises(earshot.EarshotError, match="flushed"):
        receiver.push(np.zeros(0))
    with pytest.raises(earshot.EarshotError, match="flushed"):
        receiver.skip(1)
    receiver.close()
    receiver.close()
    calls: list[Callable[[], object]] = [lambda: receiver.push(np.zeros(10)), lambda: receiver.skip(1), receiver.flush]
    for call in calls:
        with pytest.raises(ValueError, match="closed"):
            call()
    assert "closed" in repr(receiver)


def test_with_closes() -> None:
    with earshot.Receiver(96_000, channels=2) as receiver:
        assert (receiver.rate, receiver.channels) == (96_000, 2)
        assert repr(receiver) == "<earshot.Receiver at 96000 Hz, 2 channels>"
    with pytest.raises(ValueError, match="closed"):
        receiver.flush()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"rate": 8_000}, earshot.EarshotError, "44100 to 768000"),
        ({"rate": -1}, ValueError, "rate"),
        ({"rate": 2**32 + 48_000}, ValueError, "rate"),
        ({"channels": 0}, ValueError, "channels"),
        ({"channels": 65}, earshot.EarshotError, "64 channels"),
        ({"channels": -1}, ValueError, "channels"),
        ({"profiles": []}, ValueError, "no profile"),
        ({"profiles": "slow"}, ValueError, "slow"),
        ({"profiles": ["fast", 3]}, ValueError, "3"),
        ({"profiles": [["fast"]]}, ValueError, "fast"),
        ({"combine": 0}, ValueError, "combine"),
        ({"combine": 9}, ValueError, "up to 8 repeats"),
    ],
)
def test_bad_options(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        earshot.Receiver(**{"rate": 48_000, **arguments})
    gc.collect()


@pytest.mark.parametrize(
    ("samples", "error", "words"),
    [
        (np.zeros(4, dtype=np.uint8), TypeError, "uint8"),
        (np.zeros(4, dtype=np.int32), TypeError, "int32"),
        (np.zeros(4, dtype=np.uint16), TypeError, "uint16"),
        (np.zeros(4, dtype=np.complex64), TypeError, "complex64"),
        (np.zeros(4, dtype=bool), TypeError, "bool"),
        (np.zeros(4, dtype=object), TypeError, "object"),
        ("0123", TypeError, "no array"),
        (b"0123", TypeError, "no array"),
        (None, TypeError, "no array"),
        (0.5, TypeError, "is the number 0.5"),
        (np.zeros((4, 2)), ValueError, r"\(n,\) or \(n, 1\)"),
        (np.zeros((2, 2, 2)), ValueError, "shape"),
        (["a"], TypeError, "<U1"),
    ],
)
def test_bad_samples(samples: Any, error: type[Exception], words: str) -> None:
    with earshot.Receiver(48_000) as receiver, pytest.raises(error, match=words):
        receiver.push(samples)


def test_bad_samples_of_two_channels() -> None:
    with earshot.Receiver(48_000, channels=2) as receiver:
        for samples in (np.zeros(4), np.zeros((4, 1)), np.zeros((4, 3))):
            with pytest.raises(ValueError, match=r"\(n, 2\)"):
                receiver.push(samples)
        for count in (-1, 1.5, float("inf"), float("nan")):
            with pytest.raises(ValueError, match="not a whole number from 0 on"):
                receiver.skip(count)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="without quotation marks"):
            receiver.skip("1")  # type: ignore[arg-type]


def test_threads_may_share_a_receiver() -> None:
    receiver, frames = earshot.Receiver(48_000), list[earshot.Frame]()
    sound, errors = noisy(), list[BaseException]()

    def push() -> None:
        try:
            for first in range(0, len(sound), 480):
                frames.extend(receiver.push(sound[first : first + 480]))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    # All blocks arrived, in some order.
    receiver.push(np.zeros(48_000))
    frames = receiver.push(earshot.encode(TOKEN)) + receiver.flush()
    assert abs(frames[-1].start - (4 * len(sound) + 48_000)) < 48


def test_receivers_of_many_threads_are_independent() -> None:
    sound = noisy()
    expected, results = earshot.decode(sound, 48_000), list[list[earshot.Frame]]()
    threads = [
        threading.Thread(target=lambda: results.append(earshot.decode(sound, 48_000))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 6


def test_receivers_leave_no_memory_behind() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4_096

    def make(count: int) -> None:
        for index in range(count):
            receiver = earshot.Receiver(48_000)
            receiver.push(np.zeros(480))
            if index % 2:
                receiver.close()
            del receiver

    make(20)
    before = resident()
    make(300)
    # A receiver takes more than 1 MB.
    assert resident() - before < 20_000_000


def test_a_frame_as_a_dictionary_is_json() -> None:
    (frame,) = earshot.decode(np.concatenate([np.zeros(4_800), earshot.encode(b"Hello", "fast")]), 48_000)
    entry = json.loads(json.dumps(frame.to_dict()))
    assert entry["token"] == b"Hello".hex() and entry["text"] == "Hello" and entry["bytes"] == 5
    assert entry["profile"] == "fast" and entry["start_s"] == frame.start_seconds and entry["snr_db"] == frame.snr_db
    assert set(entry) == {
        "token", "text", "bytes", "profile", "start_s", "end_s", "snr_db", "offset_hz", "channel", "path_metric",
        "combined", "recognised",
    }


def test_channels_first_get_a_hint() -> None:
    sound = np.stack([earshot.encode(TOKEN, "fast")] * 2)
    with pytest.raises(ValueError, match=r"did you mean samples\.T, or for a list of blocks iter\(samples\)\?"):
        earshot.decode(sound, 48_000)
    with pytest.raises(ValueError, match=r"shape \(2, \d+\); the receiver takes \(n, 2\); did you mean samples\.T\?"):
        earshot.Receiver(48_000, channels=2).push(sound)
    # Another number of channels is another mistake.
    with pytest.raises(ValueError, match=r"takes \(n, 3\)$"):
        earshot.Receiver(48_000, channels=3).push(sound)
    assert len(earshot.decode(sound.T, 48_000)) == 1


@pytest.mark.parametrize("samples", [b"1234", None, "token.wav"])
def test_what_is_no_array_gets_a_hint(samples: Any) -> None:
    for call in (lambda: earshot.Receiver(48_000).push(samples), lambda: earshot.decode(samples, 48_000)):
        with pytest.raises(TypeError, match="samples is no array; for bytes give np.frombuffer"):
            call()


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ((np.zeros(9_600), 48_000), "samples is a pair; unpack it first"),
        (lambda: np.zeros(9_600), "samples is a function; call it"),
        (48_000, "samples is the number 48000; give the samples first"),
    ],
)
def test_another_argument_gets_a_hint(samples: Any, reason: str) -> None:
    for call in (lambda: earshot.Receiver(48_000).push(samples), lambda: earshot.decode(samples, 48_000)):
        with pytest.raises(TypeError, match=reason):
            call()


def test_a_list_of_blocks_gets_a_hint() -> None:
    blocks = [np.zeros(100), np.zeros(90)]
    with pytest.raises(ValueError, match=r"a list of blocks give decode iter\(samples\)"):
        earshot.decode(blocks, 48_000)
    assert earshot.decode(iter(blocks), 48_000) == []


def test_a_number_in_quotation_marks_is_named() -> None:
    for call in (
        lambda: earshot.Receiver("48000"),  # type: ignore[arg-type]
        lambda: earshot.encode(TOKEN, rate="48000"),  # type: ignore[arg-type]
        lambda: earshot.decode(np.zeros(10), "48000"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="rate is '48000', of type str; give a number without quotation marks"):
            call()
    assert earshot.Receiver(np.int64(48_000)).rate == 48_000  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rate is None, of type NoneType; give a number$"):
        earshot.Receiver(None)  # type: ignore[arg-type]


def test_profiles_that_are_none_are_named() -> None:
    for wrong in (5, None):
        with pytest.raises(TypeError, match=f"profiles is {wrong}; give one or several of 'fast', 'standard', 'far'"):
            earshot.Receiver(48_000, profiles=wrong)  # type: ignore[arg-type]


def test_pickling_says_what_to_do() -> None:
    for act in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied.*make one in each process"):
            act(earshot.Receiver(48_000))
    frames = earshot.decode(noisy(), 48_000)
    assert pickle.loads(pickle.dumps(frames)) == frames


def test_blocks_of_a_recording_give_the_same_frames() -> None:
    sound = noisy()
    blocks = (sound[first : first + 10_000] for first in range(0, len(sound), 10_000))
    assert earshot.decode(blocks, 48_000) == earshot.decode(sound, 48_000)
    assert earshot.decode(iter([]), 48_000) == []
    with pytest.raises(ValueError, match="the receiver takes"):
        earshot.decode(iter([np.zeros(10), np.zeros((10, 2))]), 48_000)


def test_an_hour_in_blocks_takes_little_memory() -> None:
    # In a process of its own, whose maximum of resident memory is of this alone.
    code = """
import resource, numpy, earshot
noise = numpy.random.default_rng(1).normal(0, 300, 480_000).astype(numpy.int16)
token = earshot.encode("0123456789abcdef", dtype=numpy.int16)
noise[48_000:48_000 + len(token)] += token
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
frames = earshot.decode((noise for _ in range(360)), 48_000)
print(len(frames), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    frame_count, megabytes = map(int, output.split())
    # A frame is found each time; 9 MB are the receiver's, and 360 frames are small.
    assert frame_count == 360 and megabytes < 80
