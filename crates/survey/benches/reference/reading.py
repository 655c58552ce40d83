"""The file of benches/reading.rs, read by pandas: time, peak memory, and what can be compared of each column."""

import json
import resource
import sys
import time

import pandas as pd

start = time.perf_counter()
data = pd.read_csv(sys.argv[1])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
columns = [(int(data[name].count()), float(data[name].sum())) for name in data.columns]
json.dump({"seconds": seconds, "peak_kib": peak, "columns": columns}, sys.stdout)
