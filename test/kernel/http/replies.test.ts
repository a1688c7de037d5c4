import { expect } from 'chai';
import { problemOf } from '../../../kernel/http/error-reply.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { type Reply, ServiceError } from '../../../kernel/plugin-api.ts';
import { bearing, serveRoutes, TOKENS } from '../../kit/serve-routes.ts';

const serve = (answer: () => Reply | Promise<Reply>, serviceName = 'svc') =>
  serveRoutes(
    [
      { method: 'GET', path: '/v1/x', summary: 'x', access: { permission: 'any' }, handle: answer },
      { method: 'GET', path: '/healthz', summary: 'x', access: 'open', handle: answer },
    ],
    { serviceName },
  );

const headers = bearing(TOKENS.reader);

describe('a reply', () => {
  it('is JSON, and not cached on routes that need a credential', async () => {
    const { ask } = serve(() => ({ status: 200, body: { a: 1 }, headers: { 'X-Total-Count': '1' } }));
    const answer = await ask('GET', '/v1/x', { headers });
    expect(answer.headers).to.include({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-total-count': '1',
    });
    expect((await ask('GET', '/healthz')).headers).not.to.have.property('cache-control');
  });

  it('may be text of another type, or a stream, or nothing', async () => {
    const csv = serve(() => ({ status: 200, text: 'a,b\n', contentType: 'text/csv' }));
    const answer = await csv.ask('GET', '/v1/x', { headers });
    expect([answer.text, answer.headers['content-type']]).to.deep.equal(['a,b\n', 'text/csv']);
    const stream = serve(() => ({ status: 200, text: pieces(), contentType: 'text/event-stream' }));
    expect((await stream.ask('GET', '/v1/x', { headers })).text).to.equal('onetwo');
    const nothing = await serve(() => ({ status: 204 })).ask('GET', '/v1/x', { headers });
    expect([nothing.text, nothing.headers]).to.deep.equal([
      '',
      {
        'x-request-id': nothing.headers['x-request-id'],
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    ]);
  });

  it('is 500 if its content cannot be sent', async () => {
    for (const broken of [{ bytes: 42 }, { bytes: [1, 2] }, { text: { a: 1 } }, { text: null }]) {
      const { ask } = serve(() => ({ status: 200, ...broken }) as unknown as Reply);
      const answer = await ask('GET', '/v1/x', { headers });
      expect([answer.status, JSON.parse(answer.text).code], JSON.stringify(broken)).to.deep.equal([500, 'internal']);
    }
  });

  it('may be bytes, whole or as a stream', async () => {
    const whole = serve(() => ({ status: 200, bytes: Buffer.from('é') }));
    const answer = await whole.ask('GET', '/v1/x', { headers });
    expect([answer.text, answer.headers['content-type']]).to.deep.equal(['é', 'application/octet-stream']);
    async function* parts() {
      yield Buffer.from('one');
      yield Buffer.from('two');
    }
    const stream = serve(() => ({ status: 200, bytes: parts(), contentType: 'image/png' }));
    const streamed = await stream.ask('GET', '/v1/x', { headers });
    expect([streamed.text, streamed.headers['content-type']]).to.deep.equal(['onetwo', 'image/png']);
  });

  async function* pieces() {
    yield 'one';
    yield 'two';
  }

  it('carries the request id of the client, if that is short visible ASCII', async () => {
    const { ask } = serve(() => ({ status: 200, body: {} }));
    for (const id of ['a', 'x'.repeat(128), '01J9Z0Q7E4', '{"a":1}']) {
      const answer = await ask('GET', '/v1/x', { headers: { ...headers, 'X-Request-Id': id } });
      expect(answer.headers['x-request-id']).to.equal(id);
    }
  });

  it('otherwise carries a new request id, a different one each time', async () => {
    const { ask } = serve(() => ({ status: 200, body: {} }));
    const given = [undefined, '', 'a b', 'x'.repeat(129), 'ä', 'a\r\nX: y', '\u001b[31m'];
    const ids = new Set<string>();
    for (const id of given) {
      const sent = id === undefined ? headers : { ...headers, 'X-Request-Id': id };
      ids.add((await ask('GET', '/v1/x', { headers: sent })).headers['x-request-id'] as string);
    }
    expect(ids.size).to.equal(given.length);
    for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/);
  });
});

describe('a problem document', () => {
  it('states the error, the path and the request id, with the names of this service', async () => {
    const { ask } = serve(() => {
      throw new ServiceError('conflict', 'another value stands', {
        members: { conflicting_fact_ids: ['f1'], status: 200 },
        headers: { 'Retry-After': '3' },
        hint: 'resolve it first',
        violations: [{ path: 'body', message: 'x' }],
      });
    }, 'acme');
    const answer = await ask('GET', '/v1/x', { headers: { ...headers, 'X-Request-Id': 'r1' } });
    expect(answer.headers).to.include({ 'content-type': 'application/problem+json', 'retry-after': '3' });
    expect(answer.json).to.deep.equal({
      type: 'urn:acme:problem:conflict',
      title: 'Conflict',
      status: 409,
      detail: 'another value stands',
      code: 'conflict',
      instance: '/v1/x',
      request_id: 'r1',
      hint: 'resolve it first',
      conflicting_fact_ids: ['f1'],
    });
  });

  it('names the slip of a caller whose address of the node already has /v1', async () => {
    const { ask } = serve(() => ({ status: 200 }));
    const detailOf = async (path: string) => JSON.parse((await ask('POST', path, { headers })).text).detail;
    for (const path of ['/v1/v1/recall', '/v1/mcp/v1/recall']) {
      expect(await detailOf(path)).to.equal('there is nothing at this path: the address of the node ends before /v1');
    }
    for (const path of ['/v1/v1', '/v1/cards/v1', '/memory/v1/recall']) {
      expect(await detailOf(path)).to.equal('there is nothing at this path');
    }
  });

  it('names the slashes that are too many', async () => {
    const { ask } = serve(() => ({ status: 200 }));
    const detailOf = async (path: string) => JSON.parse((await ask('GET', path, { headers })).text).detail;
    for (const path of ['//v1/facts', '/v1//facts', '/v1/facts//']) {
      expect(await detailOf(path)).to.equal('there is nothing at this path: it has two slashes in a row');
    }
    for (const path of ['/v1/facts/', '/v1/gardens/board/']) {
      expect(await detailOf(path)).to.equal('there is nothing at this path: it has a slash at its end');
    }
    expect(await detailOf('/v1/nothing')).to.equal('there is nothing at this path');
  });

  it('reveals nothing of a bug except the request id, which the log contains too', async () => {
    const { ask, logged } = serve(() => {
      throw new TypeError('SELECT secret FROM /var/lib');
    });
    const answer = await ask('GET', '/v1/x', { headers });
    expect([answer.status, answer.json.code, answer.json.title]).to.deep.equal([
      500,
      'internal',
      'Internal Server Error',
    ]);
    expect(answer.text).not.to.match(/SELECT|TypeError|\.ts|\.js/);
    expect(logged).to.have.length(1);
    expect(logged[0]?.fields['requestId']).to.equal(answer.headers['x-request-id']);
    expect(logged[0]?.fields['error']).to.be.instanceOf(TypeError);
  });

  it('hides the text of an internal error, and of a reply that cannot be written', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect((await serve(() => ({ status: 200, body: loop })).ask('GET', '/v1/x', { headers })).json.code).to.equal(
      'internal',
    );
    const worded = serve(() => {
      throw new ServiceError('internal', 'at /etc/secret');
    });
    expect((await worded.ask('GET', '/v1/x', { headers })).text).not.to.contain('secret');
  });

  it('is recognised by its members when a plugin bundles another copy of the error class', async () => {
    const { ask } = serve(() => {
      throw Object.assign(new Error('not yet'), {
        name: 'ServiceError',
        code: 'conflict',
        status: 409,
        members: {},
        headers: {},
      });
    });
    const answer = await ask('GET', '/v1/x', { headers });
    expect([answer.status, answer.json.code, answer.json.detail]).to.deep.equal([409, 'conflict', 'not yet']);
  });

  it('of one item of a batch has neither instance nor request id', () => {
    const problem = problemOf(
      new ServiceError('validation', 'confidence must be between 0 and 1', {
        violations: [{ path: 'body[2].confidence', message: 'out of range' }],
      }),
      { names: createServiceNames('svc') },
    );
    expect(problem).to.deep.equal({
      type: 'urn:svc:problem:validation',
      title: 'Unprocessable Content',
      status: 422,
      detail: 'confidence must be between 0 and 1',
      code: 'validation',
      errors: [{ path: 'body[2].confidence', message: 'out of range' }],
    });
  });
});
