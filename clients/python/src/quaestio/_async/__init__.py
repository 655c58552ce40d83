"""The client for an event loop. The package `_sync` is made from this one by `tools/generate.py`."""
