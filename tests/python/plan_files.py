"""Plans scans with PyIceberg: JSON lines {"table", "filter"} in, the same with "files" and "bytes" out.

usage: plan_files.py CATALOG_DB
"""
import json
import pathlib
import sys

from pyiceberg.catalog.sql import SqlCatalog

database = pathlib.Path(sys.argv[1])
catalog = SqlCatalog("lake", uri=f"sqlite:///{database}", warehouse=f"file://{database.parent}/warehouse")
tables = {}
for line in sys.stdin:
    question = json.loads(line)
    name = question["table"]
    if name not in tables:
        tables[name] = catalog.load_table(name)
    scan = tables[name].scan(row_filter=question["filter"]) if question["filter"] else tables[name].scan()
    tasks = list(scan.plan_files())
    deletes = {d.file_path: d.file_size_in_bytes for task in tasks for d in task.delete_files}
    question["files"] = len(tasks)
    question["bytes"] = sum(task.file.file_size_in_bytes for task in tasks) + sum(deletes.values())
    print(json.dumps(question))
