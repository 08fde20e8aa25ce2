# %% [markdown]
# # What a receiver hears
# Two devices talk at the same time, in noise. A waterfall of the band shows their tones, and the frames that
# `earshot.decode` finds. Editors with notebooks run the cells one by one; `python waterfall.py [FILE.wav [PICTURE.png]]`
# runs them all, for a recording of your own too.

# %%
import sys
import wave

import matplotlib.pyplot as plt
import numpy as np

import earshot

# %% [markdown]
# ## Sound
# A recording, or seven seconds that are made here: frames of all profiles, two of them at once, 10 dB above the noise.

# %%
if len(sys.argv) > 1:
    with wave.open(sys.argv[1]) as file:
        if file.getsampwidth() != 2:
            sys.exit(f"{sys.argv[1]} has {8 * file.getsampwidth()} bits a sample, and this example reads 16.")
        rate = file.getframerate()
        integers = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        sound = integers.reshape(-1, file.getnchannels()) / 32_768
else:
    rate = 48_000
    # The power of a sine of amplitude 0.25 over that of the noise in 1,500 of 24,000 Hz.
    noise_power = 0.25**2 / 2 / 10 ** (10 / 10) * (rate / 2 / 1_500)
    sound = np.random.default_rng(seed=7).normal(0, np.sqrt(noise_power), (7 * rate, 1))
    for token, profile, start in [
        ("a1a1a1a1a1a1a1a1", "standard", 0.4),
        ("b2b2b2b2b2b2b2b2", "standard", 0.9),
        ("c3c3c3c3c3c3c3c3", "fast", 2.4),
        (b"Hello, room".hex(), "far", 3.2),
    ]:
        frame_samples = earshot.encode(token, profile, rate)
        first = round(start * rate)
        sound[first : first + len(frame_samples), 0] += frame_samples

# %% [markdown]
# ## Frames

# %%
frames = earshot.decode(sound, rate)
for frame in frames:
    print(f"{frame.start_seconds:.3f} s  {frame.token}  {frame.profile}  SNR {frame.snr_db:.1f} dB  {frame.text or ''}")

# %% [markdown]
# ## Waterfall
# Windows of 21 ms, a symbol of `standard`, show its tones apart: they are 47 Hz from each other.

# %%
window = round(rate * 0.0213)
step = window // 4
windows = np.lib.stride_tricks.sliding_window_view(sound[:, 0], window)[::step] * np.hanning(window)
# Four times as many lines as the window has, so that tones look like lines and not like stairs.
hertz = np.fft.rfftfreq(4 * window, 1 / rate)
band = (hertz > 18_300) & (hertz < 20_300)
power = np.abs(np.fft.rfft(windows, 4 * window)[:, band].T) ** 2
# Silence has no logarithm: it is drawn 60 dB below the loudest tone.
decibels = 10 * np.log10(np.maximum(power, power.max() * 1e-6))

figure, axes = plt.subplots(figsize=(11, 5), layout="constrained")
seconds = (np.arange(len(windows)) * step + window / 2) / rate
# Up to the loudest tone from the noise, which is the median.
axes.pcolormesh(seconds, hertz[band], decibels, cmap="magma", vmin=np.median(decibels))
axes.set_xlabel("s")
axes.set_ylabel("Hz")
axes.set_title("18.5 to 20 kHz, and the frames in it")
heights = [20_040, 20_130, 20_220]
for index, frame in enumerate(frames):
    height = heights[index % len(heights)]
    axes.plot([frame.start_seconds, frame.end_seconds], [height, height], color="white", linewidth=3)
    axes.annotate(
        f" {frame.text or frame.token}, {frame.profile}, {frame.snr_db:.0f} dB",
        (frame.start_seconds, height),
        xytext=(0, 3),
        textcoords="offset points",
        color="white",
        fontsize=8,
    )

# %%
if len(sys.argv) > 2:
    figure.savefig(sys.argv[2], dpi=120)
else:
    plt.show()
