"""The jit wrapper compiles, keeps the function, and does without a cache where it cannot have one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hedgerow._jit import jit


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def test_a_kernel_gives_what_the_function_gives() -> None:
    assert jit(add)(2, 3) == add(2, 3)
    assert jit(add).__doc__ == "Add."


def test_code_without_a_file_is_compiled_without_a_cache() -> None:
    names: dict[str, object] = {}
    exec("def triple(n):\n    return 3 * n\n", names)
    triple = names["triple"]
    assert callable(triple)
    assert jit(triple)(5) == 15


@pytest.mark.parametrize(("switch", "compiled"), [("1", "False"), ("0", "True")])
def test_the_switch_of_numba_is_honoured(switch: str, compiled: str) -> None:
    code = "import hedgerow.privacy._kernels as k; print(hasattr(k.holds, 'py_func'))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": switch}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == compiled
