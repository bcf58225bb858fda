// The receiver that Pozy's documentation recommends ("Idempotency and ordering"), as a plain Node program over
// PostgreSQL: check the signature over the raw bytes, record the event id under a unique index, skip what is known,
// apply the post's state unless it is older than what is held, then answer 204.
//
// It is written to be fast within that recipe: prepared statements, one statement for "compare and update", no
// framework. Nothing is answered before its commit (PostgreSQL's defaults: fsync and synchronous_commit on).
//
// Takes its connection from the PG* variables and the secret from POZY_WEBHOOK_SECRET. The first line on standard
// output is {"receiver":URL}. Ends on SIGTERM.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";

const secret = process.env.POZY_WEBHOOK_SECRET;
if (!secret) throw new Error("POZY_WEBHOOK_SECRET is not set");

// Ten is what `pg` takes by itself, and what the recipe therefore has.
const db = new pg.Pool({ max: Number(process.env.RECIPE_POOL ?? 10) });

// A run starts from nothing, as a receiver with an empty log does.
await db.query(`
  DROP TABLE IF EXISTS pozy_events, posts;
  CREATE TABLE pozy_events (id text PRIMARY KEY, type text NOT NULL, received_at timestamptz DEFAULT now());
  CREATE TABLE posts (pozy_id text PRIMARY KEY, status text NOT NULL, last_event_at timestamptz NOT NULL);
`);

// The unique index makes this safe even when two copies arrive at the same moment.
const record = {
  name: "record",
  text: "INSERT INTO pozy_events (id, type) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
};
const forget = { name: "forget", text: "DELETE FROM pozy_events WHERE id = $1" };
// Absolute, so it may be repeated and reordered: older than what is held changes nothing.
const apply = {
  name: "apply",
  text: `INSERT INTO posts (pozy_id, status, last_event_at) VALUES ($1, $2, $3)
    ON CONFLICT (pozy_id) DO UPDATE SET status = excluded.status, last_event_at = excluded.last_event_at
    WHERE posts.last_event_at < excluded.last_event_at`,
};

async function processEvent(event) {
  if (!event.post) return;
  await db.query({ ...apply, values: [event.post.id, event.post.status, event.timestamp] });
}

async function handlePozyEvent(event) {
  const { rowCount } = await db.query({ ...record, values: [event.id, event.event] });
  if (rowCount === 0) return;
  try {
    await processEvent(event);
  } catch (error) {
    // Let a later retry or redelivery try again.
    await db.query({ ...forget, values: [event.id] });
    throw error;
  }
}

function signed(body, claim) {
  const given = Buffer.from(claim ?? "", "hex");
  const right = createHmac("sha256", secret).update(body).digest();
  return given.length === right.length && timingSafeEqual(given, right);
}

async function receive(request) {
  if (request.method !== "POST") return 405;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!signed(body, request.headers["x-pozy-signature"])) return 401;
  await handlePozyEvent(JSON.parse(body.toString("utf8")));
  return 204;
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      response.writeHead(500).end();
    },
  );
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ receiver: `http://127.0.0.1:${server.address().port}/hooks/pozy` })}\n`);
});

process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close(() => db.end());
});
