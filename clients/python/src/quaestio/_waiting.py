"""What differs between waiting with and without an event loop."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

#: What yields values, and can be closed before its end.
AsyncStream: TypeAlias = AsyncGenerator[T, None]
Stream: TypeAlias = Generator[T, None, None]


async def async_sleep(seconds: float) -> None:
    """Waits, and lets others work meanwhile."""
    await asyncio.sleep(seconds)


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


async def async_settle(value: T | Awaitable[T]) -> T:
    """Returns what a callback gave, or what it promised."""
    if inspect.isawaitable(value):
        return await value
    return value


def settle(value: T) -> T:
    """Returns what a callback gave."""
    return value
