"""Prints hashes of noise that OpenCV resized with INTER_AREA, for tests/atari/observer_test.cc.

Prints two FNV-1a hashes for each height of a screen: the first of plain noise, the second of
screens whose rows repeat. A hash covers ten pictures of 84 x 84; each shows the brighter pixels of
a screen and the next one.
"""

import cv2
import numpy as np

WIDTH = 160
SIDE = 84
SCREENS = 10
REPEATS = 3
LEVELS = (np.arange(256) * 37 % 256).astype(np.uint8)


def noise(height):
    """Ten screens from the random generator that the test uses, too."""
    state = 1
    pixels = np.empty(SCREENS * height * WIDTH, np.uint8)
    for i in range(pixels.size):
        state = (state * 1664525 + 1013904223) % 2**32
        pixels[i] = state >> 24
    return pixels.reshape(SCREENS, height, WIDTH)


def repetitive(screens):
    """Repeats each row three times; the upper half is the same in all screens."""
    height = screens.shape[1]
    repeated = screens[:, np.arange(height) // REPEATS]
    repeated[:, : height // 2] = repeated[0, : height // 2]
    return repeated


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def observe(screens):
    gray = LEVELS[screens]
    brighter = np.maximum(gray, np.roll(gray, -1, axis=0))
    small = [cv2.resize(s, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for s in brighter]
    return fnv1a(np.stack(small).tobytes())


for height in (84, 85, 127, 168, 169, 209, 210, 211, 214, 249, 250, 251, 336):
    screens = noise(height)
    hashes = f"{observe(screens):#018x}, {observe(repetitive(screens)):#018x}"
    print(f"      {{{height}, {{{hashes}}}}},")
