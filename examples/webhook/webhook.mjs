// Receives events about an entity, checks their signatures and ends after the first. Needs SVC_URL and SVC_API_KEY, and
// a node that may call this machine: SVC_WEBHOOK_ALLOW_PRIVATE=true. In production, the address must use https.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { FactClient, verifyWebhook, WebhookError } from 'fact-memory-node/client';

const MAX_BODY_BYTES = 1024 * 1024;
const client = new FactClient({ source: 'agent:example' });
const entity = 'door:front';

let secret;
let report;
const received = new Promise((resolve) => {
  report = resolve;
});

const server = createServer(async (request, response) => {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return response.writeHead(413).end();
    parts.push(part);
  }
  try {
    // Passes the received bytes, because JSON that was parsed and written again has another signature.
    const event = await verifyWebhook(Buffer.concat(parts), request.headers, secret);
    response.writeHead(204).end();
    report(event);
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 401 : 500).end();
  }
}).listen(Number(process.env.PORT ?? 0), '127.0.0.1');
await once(server, 'listening');
const webhook_url = `http://127.0.0.1:${server.address().port}/events`;

const { entity_uri } = await client.me();
const { token_json: capability } = await client.call('POST /v1/federation/capability-tokens', {
  body: { issuer: entity_uri, subject: entity_uri, verb: 'subscribe', object: entity, ttl_seconds: 3600 },
});
const subscription = await client.subscriptions.create(
  { target: entity, on_change: 'webhook', webhook_url, event_types: ['fact_asserted'] },
  { capability },
);
// The node shows the secret only here: store it like a password.
secret = subscription.secret;

await client.assert({ entity, relation: 'memory:state', value: 'open' });
const event = await received;
console.log(`${event.event_type}: ${event.entity}`);

await client.subscriptions.cancel(subscription.id);
server.closeAllConnections();
server.close();
