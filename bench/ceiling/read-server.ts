import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { DatabaseSync } from '@photostructure/sqlite';
import Koa from 'koa';

/**
 * A server with the minimum of work for an entity query: koa, its router, and one prepared statement on the file of a
 * node, whose rows become JSON. It runs as a process: `node read-server.js DATABASE`. It prints `{"port":n}` once it
 * listens.
 */
const FACTS_OF_ENTITY = `SELECT id, coalesce(entity, entity_key) AS entity, coalesce(relation, relation_key) AS relation,
  value_type, value_v, interpret_as, coalesce(source, source_key) AS source, timestamp_ms, hlc_wall, hlc_ctr,
  received_from, valid_until, confidence, scope, garden_id, cid, attested, attested_key_id, origin_node_id, derived_from
FROM facts WHERE tenant_id = 'default' AND entity_key = ? ORDER BY timestamp_ms DESC, id DESC LIMIT 51`;

const [path = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { readOnly: true });
const statement = database.prepare(FACTS_OF_ENTITY);
const router = new Router();
router.get('/v1/facts', (context) => {
  const facts = statement.all(String(context.query['entity']));
  context.type = 'application/json';
  context.body = JSON.stringify({ facts, total: facts.length });
});
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  database.close();
});
