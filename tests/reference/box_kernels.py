"""The kernels of boxes, callable from Python: in the package only kernels call them."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hedgerow.anonymizers.boxes import _kernels as kernels
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape

__all__ = ["copy_box", "enclose", "joint_loss", "ones", "single_loss"]


def _callable(kernel: Any) -> Any:
    # Where kernels run as plain Python, a compiled kernel is the function itself.
    compiled = getattr(kernel, "compiled", lambda: kernel)()
    # Not cached: numba would take what is cached of the kernel itself, which has no way in.
    return numba.njit(getattr(compiled, "py_func", compiled))


copy_box = _callable(kernels.copy_box)
enclose = _callable(kernels.enclose)
joint_loss = _callable(kernels.joint_loss)
ones = _callable(kernels.ones)


def single_loss(shape: Shape, boxes: Boxes, one: int) -> float:
    """The loss of a record in a box."""
    return float(joint_loss(shape, boxes, one, boxes, one, np.inf))
