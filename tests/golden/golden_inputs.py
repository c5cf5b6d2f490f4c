"""Inputs by formula, which both sides of a golden test make, and short forms of results."""

import numpy as np
import torch

KEPT = 24  # elements kept of each large tensor


def bits(count, salt):
    """`count` 32-bit words of the stream `salt`: a multiplicative hash, the same in golden.h."""
    words = np.arange(count, dtype=np.uint64) + np.uint64(salt) * np.uint64(0x9E3779B9)
    words = (words * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    words ^= words >> np.uint64(15)
    words = (words * np.uint64(2246822519)) & np.uint64(0xFFFFFFFF)
    return words ^ (words >> np.uint64(13))


def numbers(count, salt):
    """`count` numbers in [-1, 1), exact in float32."""
    return torch.from_numpy((bits(count, salt) >> np.uint64(8)).astype(np.float64) / 2**23 - 1)


def pixels(count, salt):
    return torch.from_numpy((bits(count, salt) >> np.uint64(24)).astype(np.float64))


def summary(tensor):
    """The norm and evenly spaced elements, the first and the last among them."""
    flat = tensor.detach().flatten()
    kept = np.unique(np.linspace(0, len(flat) - 1, KEPT).round().astype(int))
    return {
        "norm": flat.norm().item(),
        "at": kept.tolist(),
        "values": flat[kept].tolist(),
    }
