import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { Ajv } from 'ajv';
import Koa from 'koa';
import { openCeilingDatabase } from './ceiling-schema.ts';
import { type CeilingFact, GroupCommit } from './group-commit.ts';
import { readJsonBody } from './read-json-body.ts';
import { templateCid } from './template-cid.ts';

/**
 * The yardstick: what this stack does when it does only what cannot be left out. Runs as a process of its own:
 * `node ceiling-server.js DATABASE_FILE KEY ANSWER_BYTES`, and says `{"port":n}` on standard output once it listens.
 */
const ASSERTION = {
  type: 'object',
  required: ['entity', 'relation', 'value', 'source'],
  properties: {
    entity: { type: 'string', minLength: 1, maxLength: 2048 },
    relation: { type: 'string', minLength: 1, maxLength: 256 },
    value: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: ['string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'] } },
    },
    source: { type: 'string', minLength: 1, maxLength: 2048 },
    confidence: { type: 'number', minimum: 0, maximum: 1, default: 1 },
    scope: { enum: ['local', 'team', 'company', 'public'], default: 'local' },
    valid_until: { type: ['string', 'null'], default: null },
  },
};

const appendRoute = (router: Router, database: DatabaseSyncInstance, key: string): void => {
  const validate = new Ajv({ useDefaults: true }).compile<CeilingFact>(ASSERTION);
  const callers = new Map([[hash('sha256', key), 'agent:load']]);
  const group = new GroupCommit(database);
  router.post('/v1/facts', async (context) => {
    const credential = context.get('authorization');
    const caller = credential.startsWith('Bearer ') ? callers.get(hash('sha256', credential.slice(7))) : undefined;
    if (caller === undefined) {
      context.status = 401;
      return;
    }
    const body = await readJsonBody(context.req);
    if (!validate(body)) {
      context.status = 422;
      return;
    }
    const reply = await group.append({ ...body, cid: templateCid(body), caller });
    context.status = 201;
    context.type = 'application/json';
    context.body = reply;
  });
};

/** `/bare` costs koa and its router alone, `/select` adds the ten rows of one entity by one prepared statement. */
const readRoutes = (router: Router, database: DatabaseSyncInstance, answerBytes: number): void => {
  const answer = JSON.stringify({ facts: 'x'.repeat(answerBytes) });
  const byEntity = database.prepare('SELECT * FROM facts WHERE tenant_id = ? AND entity_key = ? LIMIT 50');
  router.get('/bare', (context) => {
    context.type = 'application/json';
    context.body = answer;
  });
  router.get('/select', (context) => {
    const entity = String(context.query['entity']);
    context.type = 'application/json';
    context.body = JSON.stringify({ facts: byEntity.all('default', entity) });
  });
};

const [path = ':memory:', key = '', answerBytes = '0'] = process.argv.slice(2);
const database = openCeilingDatabase(path);
const router = new Router();
appendRoute(router, database, key);
readRoutes(router, database, Number(answerBytes));
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  database.close();
});
