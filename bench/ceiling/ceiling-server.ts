import { hash, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { Ajv } from 'ajv';
import Koa from 'koa';
import { CEILING_LAYOUTS, type CeilingLayout, type CeilingLayoutName } from './ceiling-layout.ts';
import type { CeilingFact, CeilingStore } from './ceiling-row.ts';
import { openCeilingDatabase } from './ceiling-schema.ts';
import { GroupCommit } from './group-commit.ts';
import { PostgresGroupCommit } from './postgres-group-commit.ts';
import { readJsonBody } from './read-bare-body.ts';
import { templateCid } from './template-cid.ts';

/**
 * A prototype server that does the minimum of work on the node's stack, as the upper bound for the node's speed. It
 * runs as a process: `node ceiling-server.js DATABASE KEY ANSWER_BYTES LAYOUT`. DATABASE is a file or the address of an
 * empty PostgreSQL database, LAYOUT a name of `CEILING_LAYOUTS`. It prints `{"port":n}` once it listens.
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

const appendRoute = (router: Router, store: CeilingStore, key: string): void => {
  const validate = new Ajv({ useDefaults: true }).compile<CeilingFact>(ASSERTION);
  const callers = new Map([[hash('sha256', key), { caller: 'agent:load', keyId: randomUUID() }]]);
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
    const reply = await store.append({ ...body, cid: templateCid(body), ...caller });
    context.status = 201;
    context.type = 'application/json';
    context.body = reply;
  });
};

/** The route `/bare` shows the cost of koa and its router alone. */
const bareRoute = (router: Router, answerBytes: number): void => {
  const answer = JSON.stringify({ facts: 'x'.repeat(answerBytes) });
  router.get('/bare', (context) => {
    context.type = 'application/json';
    context.body = answer;
  });
};

const openStore = (database: string, layout: CeilingLayout): CeilingStore | Promise<CeilingStore> =>
  /^postgres(ql)?:/.test(database)
    ? PostgresGroupCommit.open(database, layout)
    : new GroupCommit(openCeilingDatabase(database, layout), layout);

const [database = ':memory:', key = '', answerBytes = '0', layout = 'one-row'] = process.argv.slice(2);
const router = new Router();
const store = await openStore(database, CEILING_LAYOUTS[layout as CeilingLayoutName]);
appendRoute(router, store, key);
bareRoute(router, Number(answerBytes));
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void store.close();
});
