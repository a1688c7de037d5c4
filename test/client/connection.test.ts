import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FactMemoryError,
  InvalidReplyError,
  NotFoundError,
} from '../../client/client.ts';
import { rejection } from '../kit/rejection.ts';
import { json, problem, SECRET_KEY, scriptedServer } from './scripted-fetch.ts';

const FACT = { entity: 'user:a', relation: 'memory:role', value: 'x', source: 'agent:a' };
const refused = new TypeError('fetch failed');
const fromProxy = (status: number): Response =>
  new Response('<h1>Bad gateway</h1>', { status, headers: { 'content-type': 'text/html' } });

describe('a request of the client', () => {
  it('carries the key, the session and the given options, and no secret in its address', async () => {
    const { client, sent } = scriptedServer([json(200, { facts: [] })], { session: 'one', serviceName: 'mem' });
    const options = { verify: 'full', capability: '{}', headers: { 'x-request-id': 'mine' } } as const;
    await client.recall('who?', { ...options, session: 'two' }).catch(() => undefined);
    await client.me();

    const [recall, me] = sent;
    expect(recall?.url).to.equal('https://node.example/v1/recall');
    expect(Object.fromEntries(recall?.headers ?? [])).to.deep.equal({
      accept: 'application/json',
      authorization: `Bearer ${SECRET_KEY}`,
      'content-type': 'application/json',
      'mem-session': 'two',
      'mem-verify': 'full',
      'x-mem-capability': '{}',
      'x-request-id': 'mine',
    });
    expect(JSON.parse(String(recall?.body))).to.deep.equal({
      query: 'who?',
      scope: 'global',
      token_budget: 4000,
      depth: 2,
      min_confidence: 0.1,
      include_neighbors: true,
      limit: 100,
    });
    expect(me?.headers.get('mem-session')).to.equal('one');
    expect(me?.headers.has('content-type')).to.equal(false);
  });

  it('asserts with the default values of the protocol for clients, which a fact overrides', async () => {
    const { client, sent } = scriptedServer([json(201, {})], { source: 'agent:default' });
    await client.assert({ ...FACT, source: undefined, value: null });
    await client.assert({ ...FACT, scope: 'local', confidence: 0.5, value: { type: 'ref', v: 'user:b' } });
    await client.retract({ entity: 'user:a', relation: 'memory:role' });
    const bodies = sent.map(({ body }) => JSON.parse(String(body)));
    const triple = { entity: 'user:a', relation: 'memory:role' };
    expect(bodies).to.deep.equal([
      { ...triple, source: 'agent:default', scope: 'company', confidence: 1, value: { type: 'null', v: null } },
      { ...triple, source: 'agent:a', scope: 'local', confidence: 0.5, value: { type: 'ref', v: 'user:b' } },
      {
        ...triple,
        source: 'agent:default',
        scope: 'company',
        confidence: 0,
        value: { type: 'string', v: 'retracted' },
      },
    ]);
  });

  it('sends lists as JSON, and lines unchanged', async () => {
    const { client, sent } = scriptedServer([json(200, {})]);
    await client.assertMany([FACT]);
    await client.call('POST /v1/facts/batch', { body: '{}\n' });
    expect(sent.map(({ headers }) => headers.get('content-type'))).to.deep.equal([
      'application/json',
      'application/x-ndjson',
    ]);
    expect(JSON.parse(String(sent[0]?.body))).to.have.length(1);
  });

  it('derives the well-known path from the name of the service', async () => {
    const { client, sent } = scriptedServer([json(200, {})], { serviceName: 'mem' });
    await client.call('GET /.well-known/svc');
    expect(sent[0]?.url).to.equal('https://node.example/.well-known/mem');
  });

  it('returns status, headers and body', async () => {
    const { client } = scriptedServer([
      json(202, { job_id: 'j' }, { 'x-request-id': 'r' }),
      new Response(null, { status: 204 }),
    ]);
    const reply = await client.send('POST /v1/backups');
    expect([reply.status, reply.headers.get('x-request-id'), reply.data]).to.deep.equal([202, 'r', { job_id: 'j' }]);
    expect(await client.call('DELETE /v1/jobs/{id}', { params: { id: 'j' } })).to.equal(undefined);
  });
});

describe('an error reply', () => {
  const errorOf = async (reply: Response) => rejection(scriptedServer([reply], { retries: 0 }).client.me());

  it('is an error of its class, with all details from the node', async () => {
    const kinds = [
      [401, 'authentication', AuthenticationError],
      [403, 'authorization', AuthenticationError],
      [404, 'lookup', NotFoundError],
      [409, 'conflict', ConflictError],
      [422, 'validation', FactMemoryError],
      [500, 'internal', FactMemoryError],
    ] as const;
    for (const [status, code, kind] of kinds) {
      const errors = [{ path: 'body.x', message: 'unknown' }];
      const error = await errorOf(problem(status, code, { errors, request_id: 'r1', conflicting_fact_ids: ['f'] }));
      expect(error.constructor, String(status)).to.equal(kind);
      expect(error).to.include({ status, code, detail: 'said', requestId: 'r1', name: kind.name });
      expect(error['errors']).to.deep.equal(errors);
      expect(error['body']).to.deep.include({ conflicting_fact_ids: ['f'] });
      expect(error.message).to.contain('said').and.to.contain(code);
    }
  });

  it('from a server that is no node is an error that repeats none of its text', async () => {
    const page = new Response('<h1>secret page</h1>', { status: 502, headers: { 'x-request-id': 'r2' } });
    const error = await errorOf(page);
    expect(error).to.include({ status: 502, code: 'http_error', requestId: 'r2' });
    expect(inspect(error)).not.to.contain('secret page');
    const notJson = new Response('<h1>', { headers: { 'content-type': 'application/json' } });
    expect(await errorOf(notJson)).to.be.instanceOf(InvalidReplyError);
    for (const body of ['null', '[]', '{"code":1,"errors":"x"}']) {
      expect(await errorOf(new Response(body, { status: 400 }))).to.include({ status: 400, code: 'http_error' });
    }
  });

  it('is a web page in place of a reply that a node sends as JSON or lines', async () => {
    const page = () =>
      new Response('<h1>secret page</h1>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    const { client } = scriptedServer([page], { retries: 0 });
    const asks = [
      client.assert(FACT),
      client.query().take(1),
      client.health(),
      client.recall('who?'),
      client.followJob('j'),
      client.open('get', '/v1/facts/export'),
      client.subscriptions.events('s', { reconnects: 0 })[Symbol.asyncIterator]().next(),
    ];
    for (const asked of asks) {
      const error = await rejection(asked);
      expect(error).to.be.instanceOf(InvalidReplyError);
      expect(error.message).to.contain('the url is not the address of a node').and.not.to.contain('secret');
    }
    expect(await client.call('GET /spec')).to.equal('<h1>secret page</h1>');
  });

  it('never shows the key, and the client never shows it either', async () => {
    const { client } = scriptedServer([refused], { retries: 0 });
    const error = await rejection(client.me());
    const shown = [
      inspect(client, { depth: 9, showHidden: true }),
      inspect(error, { depth: 9 }),
      JSON.stringify(client),
    ];
    expect(shown.join()).not.to.contain(SECRET_KEY);
    const unfit = `${SECRET_KEY}–`;
    expect(() => scriptedServer([], { key: unfit }))
      .to.throw(TypeError)
      .with.property('message')
      .not.contains(SECRET_KEY);
  });
});

describe('a request that fails', () => {
  const ok = json(200, { events: [], facts: [] });

  it('is sent again after a broken connection, and when the node is busy', async () => {
    const { client, sent, pauses } = scriptedServer([refused, problem(503, 'unavailable'), ok]);
    await client.me();
    expect(sent).to.have.length(3);
    expect(pauses).to.deep.equal([187.5, 375]);
  });

  it('is sent again while a reverse proxy replies in place of the node', async () => {
    const { client, sent } = scriptedServer([fromProxy(502), fromProxy(504), ok]);
    await client.me();
    expect(sent).to.have.length(3);
  });

  it('waits as long as the node asks, plus a random delay', async () => {
    const { client, pauses } = scriptedServer([problem(429, 'quota_exceeded', {}, { 'retry-after': '7' }), ok]);
    await client.me();
    expect(pauses).to.deep.equal([7_125]);
  });

  it('is given up when the node asks for a long pause, whose length the error contains', async () => {
    const { client, sent } = scriptedServer([problem(429, 'quota_exceeded', {}, { 'retry-after': '3600' }), ok]);
    expect(await rejection(client.me())).to.include({ code: 'quota_exceeded', retryAfter: 3600 });
    expect(sent).to.have.length(1);
  });

  it('is given up after the last attempt', async () => {
    const { client, sent } = scriptedServer([refused], { retries: 3 });
    const error = await rejection(client.me());
    expect(error).to.be.instanceOf(ConnectionError).and.to.include({ code: 'connection', status: 0 });
    expect(error.message).to.contain('https://node.example').and.not.to.contain(SECRET_KEY);
    expect(sent).to.have.length(4);
    await rejection(client.me({ retries: 0 }));
    expect(sent).to.have.length(5);
  });

  it('is not sent again when a retry cannot help', async () => {
    for (const status of [400, 401, 403, 404, 409, 422, 500]) {
      const { client, sent } = scriptedServer([problem(status, 'validation'), ok]);
      await rejection(client.me());
      expect(sent, String(status)).to.have.length(1);
    }
  });

  it('reuses one Idempotency-Key for all its attempts, and each call has its own', async () => {
    const { client, sent } = scriptedServer([refused, json(201, {}), json(201, {}), json(201, {})]);
    await client.assert(FACT);
    await client.assert(FACT);
    await client.assert(FACT, { idempotencyKey: 'mine' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0])
      .to.match(/^[0-9a-f]{32}$/)
      .and.to.equal(keys[1]);
    expect(keys[2]).not.to.equal(keys[0]);
    expect(keys[3]).to.equal('mine');
  });

  it('waits for the first attempt with its Idempotency-Key while that still runs', async () => {
    const { client, sent } = scriptedServer([refused, problem(409, 'idempotency_in_progress'), json(201, { id: 'f' })]);
    expect(await client.assert(FACT)).to.deep.equal({ id: 'f' });
    expect(sent).to.have.length(3);
  });

  it('is not sent twice when its outcome is unknown and a repetition is unsafe', async () => {
    const params = { id: 'svc:conflict:1' };
    for (const failure of [refused, problem(503, 'commit_unknown'), fromProxy(502), fromProxy(504)]) {
      const { client, sent } = scriptedServer([failure, ok]);
      await rejection(client.call('POST /v1/conflicts/{id}/resolve', { params, body: {} }));
      expect(sent).to.have.length(1);
      await client.recall('reading is safe');
    }
    const busy = scriptedServer([problem(429, 'quota_exceeded'), ok]);
    await busy.client.call('POST /v1/conflicts/{id}/resolve', { params, body: {} });
    expect(busy.sent, 'refused before it was begun').to.have.length(2);
  });

  it('is aborted when an attempt takes too long', async () => {
    const { client, sent } = scriptedServer(['never', ok]);
    await client.me();
    expect(sent).to.have.length(2);
    const late = await rejection(scriptedServer(['never'], { retries: 0 }).client.me());
    expect(late).to.be.instanceOf(ConnectionError).and.to.include({ code: 'timeout' });
    expect(late.message).to.contain('https://node.example');
  });

  it('ends with the reason of its abort signal, also between two attempts', async () => {
    const reason = new Error('enough');
    const ended = AbortSignal.abort(reason);
    const { client, sent } = scriptedServer([ok]);
    expect(await rejection(client.me({ signal: ended }))).to.equal(reason);
    expect(sent).to.have.length(0);

    const ending = new AbortController();
    const busy = scriptedServer([
      () => {
        ending.abort(reason);
        return problem(503, 'unavailable');
      },
    ]);
    expect(await rejection(busy.client.me({ signal: ending.signal }))).to.equal(reason);
    expect(busy.sent).to.have.length(1);
    const hanging = scriptedServer(['never'], { timeoutMs: 0 });
    const cut = new AbortController();
    const waiting = hanging.client.me({ signal: cut.signal });
    cut.abort(reason);
    expect(await rejection(waiting)).to.equal(reason);
  });
});
