"""Opens a table with Python's csv module, as the peer of `npm run bench -- tables`: columns of numbers become arrays of
NumPy, others lists of texts. Prints rows, seconds, seconds of the processor, and megabytes at the peak."""
import csv
import gzip
import json
import sys
import time

import numpy as np

start, cpu = time.perf_counter(), time.process_time()
with gzip.open(sys.argv[1], "rt", newline="") as file:
    reader = csv.reader(file)
    header = next(reader)
    columns = [[] for _ in header]
    for row in reader:
        for column, field in zip(columns, row):
            column.append(field)
table = {}
for name, column in zip(header, columns):
    try:
        table[name] = np.array([float(field) if field else np.nan for field in column])
    except ValueError:
        table[name] = column
seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(
    json.dumps(
        {
            "rows": len(columns[0]),
            "seconds": seconds,
            "cpuSeconds": cpu_seconds,
            "megabytes": int(peak.split()[1]) / 1024,
        }
    )
)
