# Tries to get out. What succeeds is a hole.
import os

reached = []


def attempt(what, action):
    try:
        action()
    except Exception:
        return
    reached.append(what)


def connect(kind):
    import _socket

    _socket.socket(_socket.AF_INET, kind)


def copy():
    if os.fork() == 0:
        os._exit(0)


def write(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def empty(path):
    # Only what is empty, so that nothing is lost where it succeeds.
    if os.path.getsize(path) > 0:
        raise ValueError(path)
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))


attempt("a TCP socket", lambda: connect(1))
attempt("a UDP socket", lambda: connect(2))
attempt("a new process", copy)
attempt("signals to others", lambda: os.kill(-1, 0))
attempt("another root", lambda: os.chroot("."))
for path in READABLE:
    attempt("reading " + path, lambda: open(path, "rb").read(1))
for path in LISTED:
    folder, name = os.path.split(path)
    attempt("listing " + path, lambda: os.listdir(folder).index(name))
for path in WRITABLE:
    attempt("writing " + path, lambda: write(path))

for path in EMPTY:
    attempt("emptying " + path, lambda: empty(path))
open("empty", "w").close()
attempt("emptying what is opened to be read", lambda: empty("empty"))
os.unlink("empty")
with open("kept", "w") as kept:
    kept.write("kept")
assert not reached, "it reached " + ", ".join(reached)
os.unlink("kept")
print("everything held")
