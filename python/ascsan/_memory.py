"""How each kind of array enters the extension and how outputs are allocated next to it.

numpy, ml_dtypes' bfloat16, torch and everything else with DLPack on the CPU are passed without a copy. Outputs are
numpy arrays for every input but torch tensors; bfloat16 outputs carry the dtype of the input.
"""

import sys

import numpy as np

from ._flce import ArgumentError


def is_torch(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _refused_uint16(name):
    """To the extension these are the bits of bfloat16."""
    return ArgumentError(f"{name}: given dtype uint16, allowed: float16, bfloat16, float32, float64, int32, int64")


def as_input(name, array):
    """A view of `array` the extension accepts; None stays None."""
    if array is None:
        return None
    if is_torch(array):
        import torch
        if array.device.type != "cpu":
            raise ArgumentError(f"{name}: given a tensor on {array.device}, allowed: a tensor on the CPU")
        array = array.detach()
        # DLPack, not numpy: a torch older than the numpy next to it cannot hand over arrays. Nor has its bool DLPack;
        # bool is the mask of the tokens, so a copy by way of a list does.
        if array.dtype == torch.bool:
            return np.array(array.tolist(), dtype=bool)
        if array.dtype == getattr(torch, "uint16", None):
            raise _refused_uint16(name)
        return array
    if not isinstance(array, np.ndarray):
        if not hasattr(array, "__dlpack__"):
            raise ArgumentError(f"{name}: given {type(array).__name__}, allowed: an array with DLPack on the CPU")
        if str(array.dtype) == "bfloat16":
            array = np.asarray(array)  # numpy cannot receive bfloat16 through DLPack; jax hands over a view
        else:
            array = np.from_dlpack(array)
    if array.dtype.name == "bfloat16":
        array = array.view(np.uint16)
    elif array.dtype == np.uint16:
        raise _refused_uint16(name)
    return array


def empty_like(like, shape, dtype):
    """An uninitialised output; dtype is a name, "input" means the dtype of `like`."""
    if is_torch(like):
        import torch
        return torch.empty(shape, dtype=like.dtype if dtype == "input" else getattr(torch, dtype))
    if dtype == "input":
        kind = like.dtype if isinstance(like, np.ndarray) else np.asarray(like).dtype
        return np.empty(shape, dtype=kind)
    if dtype == "bfloat16":
        import ml_dtypes
        return np.empty(shape, dtype=ml_dtypes.bfloat16)
    return np.empty(shape, dtype=dtype)


def dtype_name(array):
    return str(array.dtype).replace("torch.", "")


def stats_dtype(array):
    return "float64" if dtype_name(array) == "float64" else "float32"


def check_rank(name, array, rank):
    if len(array.shape) != rank:
        raise ArgumentError(f"{name}: given shape {tuple(array.shape)}, allowed: {rank} dimensions")
