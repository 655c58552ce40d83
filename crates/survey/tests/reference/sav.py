"""Prints what pyreadstat reads from SPSS files, as JSON: one object for each path of the command line."""

import json
import math
import sys

import pyreadstat


def value(one):
    """A value as JSON has it: a missing number is null."""
    if isinstance(one, float):
        return None if math.isnan(one) else one
    if isinstance(one, (int, str)):
        return one
    return float(one)


def labels(metadata, name):
    known = metadata.variable_value_labels.get(name, {})
    return [[value(code), label] for code, label in known.items()]


def column(data, metadata, name):
    return {
        "name": name,
        "label": metadata.column_names_to_labels[name] or "",
        "format": metadata.original_variable_types[name],
        "measure": metadata.variable_measure.get(name, "unknown"),
        "values": [value(one) for one in data[name]],
        "labels": labels(metadata, name),
        "missing": [[value(one["lo"]), value(one["hi"])] for one in metadata.missing_ranges.get(name, [])],
    }


def read(path):
    data, metadata = pyreadstat.read_sav(path, user_missing=True, disable_datetime_conversion=True)
    data = {name: data[name].tolist() for name in metadata.column_names}
    return {
        "path": path,
        "rows": metadata.number_rows,
        "columns": [column(data, metadata, name) for name in metadata.column_names],
        "sets": [
            {
                "id": name,
                "text": one["label"],
                "columns": one["variable_list"],
                "dichotomy": one["is_dichotomy"],
                "counted": one["counted_value"],
            }
            for name, one in metadata.mr_sets.items()
        ],
    }


json.dump([read(path) for path in sys.argv[1:]], sys.stdout)
