"""The client that waits without an event loop. Made from `_async` by `tools/generate.py`; not to be edited."""
