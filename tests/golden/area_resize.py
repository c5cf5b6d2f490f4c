"""Prints what OpenCV's INTER_AREA makes of noise, for tests/atari/preprocess_test.cc.

For each height of an Atari screen: the FNV-1a hash of ten 84 x 84 pictures.
"""

import cv2
import numpy as np

WIDTH = 160
SIDE = 84


def noise(height):
    """Ten screens from the generator that the test has, too."""
    state = 1
    pixels = np.empty(10 * height * WIDTH, np.uint8)
    for i in range(pixels.size):
        state = (state * 1664525 + 1013904223) % 2**32
        pixels[i] = state >> 24
    return pixels.reshape(10, height, WIDTH)


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


for height in (210, 214, 250):
    small = [cv2.resize(s, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for s in noise(height)]
    print(height, hex(fnv1a(np.stack(small).tobytes())))
