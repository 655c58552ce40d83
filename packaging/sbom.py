"""A bill of materials in CycloneDX: every crate that the program is built from, for a target and with the features of a release."""

import json
import subprocess
import uuid
from datetime import datetime, timezone
from pathlib import Path

import about

FEATURES = "pdf"


def write(target: str, out: Path) -> Path:
    called = subprocess.run(
        ["cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={target}",
         "--manifest-path", about.ROOT / "crates/quaestio/Cargo.toml", f"--features={FEATURES}"],
        check=True, capture_output=True,
    )
    metadata = json.loads(called.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = metadata["resolve"]["root"]
    depends = {root: _built_from(nodes[root])}
    waiting = list(depends[root])
    while waiting:
        name = waiting.pop()
        if name not in depends:
            depends[name] = _built_from(nodes[name])
            waiting += depends[name]
    hashes = _hashes()
    components = [_component(packages[name], hashes) for name in depends if name != root]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{about.NAME}/{about.VERSION}/{target}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(about.SECONDS, timezone.utc).isoformat(),
            "component": _component(packages[root], hashes) | {"type": "application"},
            "properties": [{"name": "target", "value": target}, {"name": "features", "value": FEATURES}],
        },
        "components": sorted(components, key=lambda component: component["bom-ref"]),
        "dependencies": sorted(
            (
                {"ref": _reference(packages[name]), "dependsOn": sorted(_reference(packages[one]) for one in needed)}
                for name, needed in depends.items()
            ),
            key=lambda dependency: dependency["ref"],
        ),
    }
    file = out / f"{about.NAME}-{about.VERSION}-{target}.cdx.json"
    file.write_text(json.dumps(document, indent=1) + "\n")
    return file


def _built_from(node: dict) -> list[str]:
    """What a crate needs to be built or to run, and not only to be tested."""
    return [dep["pkg"] for dep in node["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]


def _hashes() -> dict[tuple[str, str], str]:
    """Hashes by name and version, from the lock file, a line for each field."""
    hashes, package = {}, {}
    for line in (about.ROOT / "Cargo.lock").read_text().splitlines():
        if line == "[[package]]":
            package = {}
        key, _, value = line.partition(" = ")
        package[key] = value.strip('"')
        if key == "checksum":
            hashes[package["name"], package["version"]] = package["checksum"]
    return hashes


def _reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def _component(package: dict, hashes: dict[tuple[str, str], str]) -> dict:
    component = {
        "type": "library",
        "bom-ref": _reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": _reference(package),
    }
    if package["license"]:
        # Older crates part the licences that one may choose from by a slash.
        component["licenses"] = [{"expression": " OR ".join(part.strip() for part in package["license"].split("/"))}]
    if package["description"]:
        component["description"] = " ".join(package["description"].split())
    if hashed := hashes.get((package["name"], package["version"])):
        component["hashes"] = [{"alg": "SHA-256", "content": hashed}]
    if package["repository"]:
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component
