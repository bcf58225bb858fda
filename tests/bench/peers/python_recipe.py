# The receiver that Pozy's documentation recommends ("Idempotency and ordering") in Python: the same recipe as
# node-recipe.mjs, with psycopg as the documentation has it, under Flask and gunicorn.
#
# It is written to be fast within that recipe: a pool of connections for each worker, one statement for "compare and
# update". Nothing is answered before its commit (PostgreSQL's defaults: fsync and synchronous_commit on).
#
# Takes its connection from the PG* variables and the secret from POZY_WEBHOOK_SECRET. gunicorn must load it once, before
# it starts its workers (--preload), since loading empties the tables.
import hashlib
import hmac
import json
import os

import psycopg
from flask import Flask, request
from psycopg_pool import ConnectionPool

SECRET = os.environ["POZY_WEBHOOK_SECRET"].encode()
THREADS = int(os.environ["RECIPE_THREADS"])

# A run starts from nothing, as a receiver with an empty log does.
with psycopg.connect(autocommit=True) as connection:
    connection.execute("DROP TABLE IF EXISTS pozy_events, posts")
    connection.execute(
        "CREATE TABLE pozy_events (id text PRIMARY KEY, type text NOT NULL, received_at timestamptz DEFAULT now())"
    )
    connection.execute(
        "CREATE TABLE posts (pozy_id text PRIMARY KEY, status text NOT NULL, last_event_at timestamptz NOT NULL)"
    )

# The unique index makes this safe even when two copies arrive at the same moment.
RECORD = "INSERT INTO pozy_events (id, type) VALUES (%s, %s) ON CONFLICT (id) DO NOTHING"
FORGET = "DELETE FROM pozy_events WHERE id = %s"
# Absolute, so it may be repeated and reordered: older than what is held changes nothing.
APPLY = """INSERT INTO posts (pozy_id, status, last_event_at) VALUES (%s, %s, %s)
    ON CONFLICT (pozy_id) DO UPDATE SET status = excluded.status, last_event_at = excluded.last_event_at
    WHERE posts.last_event_at < excluded.last_event_at"""


# Opened by the first arrival of each worker: a connection cannot be shared with the process that it was forked from.
POOL = ConnectionPool(min_size=THREADS, max_size=THREADS, kwargs={"autocommit": True}, open=False)


def process_event(connection, event):
    post = event.get("post")
    if post:
        connection.execute(APPLY, (post["id"], post["status"], event["timestamp"]), prepare=True)


def handle_pozy_event(event):
    # Does nothing once it is open.
    POOL.open()
    with POOL.connection() as connection:
        if connection.execute(RECORD, (event["id"], event["event"]), prepare=True).rowcount == 0:
            return
        try:
            process_event(connection, event)
        except Exception:
            # Let a later retry or redelivery try again.
            connection.execute(FORGET, (event["id"],), prepare=True)
            raise


app = Flask(__name__)


@app.post("/hooks/pozy")
def receive():
    body = request.get_data()
    right = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(right.encode(), request.headers.get("X-Pozy-Signature", "").encode()):
        return "", 401
    handle_pozy_event(json.loads(body))
    return "", 204
