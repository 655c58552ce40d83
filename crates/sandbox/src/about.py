# Says what this interpreter is and where its parts lie, as one line of JSON.
import json, os, site, sys, sysconfig

real = os.path.realpath
mapped = set()
try:
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").split(None, 5)[5:]
            if path and path[0].startswith("/") and (".so" in path[0] or os.path.basename(path[0]).startswith("ld")):
                mapped.add(real(path[0]))
except OSError:
    pass
packages = [real(path) for path in getattr(site, "getsitepackages", list)() if os.path.isdir(path)]
standard = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
executable = real(sys.executable)
print()
print(json.dumps({
    "executable": executable,
    "version": "%d.%d.%d" % sys.version_info[:3],
    "numbers": sys.version_info[:2],
    "prefix": real(sys.base_prefix),
    "standard": sorted({real(path) for path in standard if path and os.path.isdir(path)}),
    "packages": list(dict.fromkeys(packages)),
    "mapped": sorted(path for path in mapped if os.path.isfile(path) and path.isprintable()),
}))
