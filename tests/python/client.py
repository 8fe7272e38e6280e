"""Runs the Trino Python client against URL and prints what a script would see, as one JSON object."""
import json
import sys
from urllib.parse import urlparse

import trino

url = urlparse(sys.argv[1])


def connect(**more):
    return trino.dbapi.connect(
        host=url.hostname, port=url.port, user="ann", catalog="lake", schema="web", **more
    )


seen = {}

cursor = connect(client_tags=["batch"]).cursor()
cursor.execute("SELECT user_id, event_date FROM events LIMIT 100000")
rows = cursor.fetchall()
seen["rows"] = len(rows)
seen["columns"] = [column[0] for column in cursor.description]

cursor = connect().cursor()
try:
    cursor.execute("SELECT * FROM web.nothing_there")
    cursor.fetchall()
except trino.exceptions.TrinoUserError as error:
    seen["error"] = {"name": error.error_name, "type": error.error_type}

cursor = connect().cursor()
cursor.execute("SELECT ticket_id FROM support.tickets WHERE ticket_id = ?", ("T-100001",))
seen["parameters"] = cursor.fetchall()

cursor = connect(client_tags=["batch"]).cursor()
cursor.execute("SELECT user_id, event_date FROM events LIMIT 100000")
cursor.fetchone()
cursor.cancel()
seen["cancelled"] = True

with connect(isolation_level=trino.transaction.IsolationLevel.READ_COMMITTED, client_tags=["batch"]) as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT ticket_id FROM support.tickets WHERE ticket_id = 'T-100002'")
    seen["transaction"] = cursor.fetchall() == [["T-100002"]]

print(json.dumps(seen))
