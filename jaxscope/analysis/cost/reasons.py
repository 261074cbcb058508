"""Why the work of an equation is unknown, in words that a person can read beside the number."""

from __future__ import annotations

_LIBRARY = "it is a call of a linear algebra library, whose work XLA does not count"
_SERIES = "it is a series that is summed until it converges"
_CALLBACK = "it is Python code of the program"

_LIBRARY_CALLS = """eig eigh geqp3 geqrf hessenberg householder_product lu ormqr qr schur svd
    symmetric_product tridiagonal tridiagonal_solve"""
_SUMS = """igamma igamma_grad_a igammac polygamma random_gamma random_gamma_grad
    regularized_incomplete_beta zeta"""

_REASONS = {
    "while": "how often the loop runs is not known before it runs",
    "cond": "its branches cost differently, and which one runs depends on values",
    **dict.fromkeys(_LIBRARY_CALLS.split(), _LIBRARY),
    **dict.fromkeys(_SUMS.split(), _SERIES),
    **dict.fromkeys(("io_callback", "pure_callback", "debug_callback", "debug_print"), _CALLBACK),
    **dict.fromkeys(("ffi_call", "custom_call"), "it is code outside JAX and XLA"),
    "lu_pivots_to_permutation": "it is a loop inside XLA's lowering",
    "approx_top_k": "it is lowered differently for each device",
}


def reason_without_rule(primitive: str) -> str:
    """Why a primitive that no rule counts is unknown."""
    return _REASONS.get(primitive, f"no rule counts {primitive}")
