import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('asserting a batch', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'gardens'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const post = (body: unknown, headers: Record<string, string> = {}, as = key) =>
    node.request('POST', '/v1/facts/batch', { key: as, body, headers });
  const lines = (text: string) => post(text, { 'Content-Type': 'application/x-ndjson' });

  it('returns a result for each item, and stores the accepted ones', async () => {
    const reply = await post([factBody(), factBody({ confidence: 7 }), factBody({ relation: 'memory:title' })]);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ accepted: 2, rejected: 1 });
    const [first, second, third] = reply.body.results;
    expect([first.index, first.status, first.fact.relation]).to.deep.equal([0, 201, 'memory:role']);
    expect([third.index, third.status, third.fact.relation]).to.deep.equal([2, 201, 'memory:title']);
    expect(second).to.deep.equal({
      index: 1,
      status: 422,
      error: {
        type: 'urn:svc:problem:validation',
        title: 'Unprocessable Content',
        status: 422,
        detail: 'body[1].confidence must be a number between 0 and 1',
        code: 'validation',
        errors: [{ path: 'body[1].confidence', message: 'must be a number between 0 and 1' }],
      },
    });
    expect(await storedFacts(node)).to.equal(2);
  });

  it('returns the same results as a dry run, which stores nothing', async () => {
    await post([factBody()]);
    const items = [
      factBody(),
      factBody({ relation: 'memory:title' }),
      factBody({ relation: 'memory:title' }),
      factBody({ relation: 'svc:trust' }),
      factBody({ confidence: 7 }),
      factBody({ garden_id: 'no-such-garden' }),
    ];
    const path = '/v1/facts/batch?dry_run=true';
    const dry = await node.request('POST', path, { key, body: items, headers: { 'Idempotency-Key': 'k' } });
    const again = await node.request('POST', path, { key, body: items });
    expect(await storedFacts(node)).to.equal(1);
    const real = await post(items, { 'Idempotency-Key': 'k' });
    expect([dry.status, again.body]).to.deep.equal([200, dry.body]);
    const withoutFacts = real.body.results.map(({ fact: _, ...result }: { fact?: object }) => result);
    expect(dry.body).to.deep.equal({ ...real.body, results: withoutFacts });
    expect(withoutFacts.map(({ existing = false }) => existing)).to.deep.equal([
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
    const readOnly = await node.addKey({ permissions: ['read'] });
    expect((await node.request('POST', path, { key: readOnly, body: items })).status).to.equal(403);
  });

  it('stores its facts in order, each with its own stamp', async () => {
    const items = Array.from({ length: 50 }, (_, at) => factBody({ entity: `user:${at}` }));
    const { body } = await post(items);
    const entities = body.results.map(({ fact }: { fact: { entity: string } }) => fact.entity);
    expect(entities).to.deep.equal(items.map(({ entity }) => entity));
    const counters = body.results.map(({ fact }: { fact: { hlc: string } }) => Number(fact.hlc.split('.')[1]));
    expect(counters).to.deep.equal([...counters].sort((a, b) => a - b));
    expect(new Set(counters).size).to.equal(50);
  });

  it('accepts JSON lines, and refuses only the malformed lines', async () => {
    const good = JSON.stringify(factBody());
    const reply = await lines(`${good}\r\n\n{"entity":\n${JSON.stringify(factBody({ relation: 'memory:title' }))}`);
    expect(reply.status).to.equal(200);
    expect(reply.body.results.map(({ status }: { status: number }) => status)).to.deep.equal([201, 400, 201]);
    expect(reply.body.results[1].error.code).to.equal('malformed_json');
  });

  it('is refused as a whole if the JSON array is malformed, and stores nothing', async () => {
    const reply = await post(`[${JSON.stringify(factBody())},`);
    expect([reply.status, reply.body.code]).to.deep.equal([400, 'malformed_json']);
    expect((await post(factBody())).status).to.equal(422);
    expect((await post('{}', { 'Content-Type': 'text/plain' })).status).to.equal(415);
    expect(await storedFacts(node)).to.equal(0);
  });

  it('holds 1 to 1000 items', async () => {
    for (const reply of [await post([]), await lines('\n\n')]) {
      expect([reply.status, reply.body.code]).to.deep.equal([422, 'validation']);
    }
    const many = Array.from({ length: 1001 }, () => ({}));
    const tooMany = await post(many);
    expect([tooMany.status, tooMany.body.code]).to.deep.equal([413, 'batch_too_large']);
    const { body } = await post(many.slice(1));
    expect(body).to.include({ accepted: 0, rejected: 1000 });
  });

  it('checks the rights of the caller for each item', async () => {
    const narrow = await node.addKey({ permissions: ['write'], scopes: ['public'] });
    const reply = await post(
      [
        factBody({ scope: 'public' }),
        factBody(),
        factBody({ scope: 'public', relation: 'svc:received_from' }),
        factBody({ scope: 'public', garden_id: 'g' }),
        factBody({ scope: 'public', value: { type: 'text', v: 'x', interpret_as: 'instruction' } }),
      ],
      {},
      narrow,
    );
    expect(reply.body.results.map(({ error }: { error?: { code: string } }) => error?.code)).to.deep.equal([
      undefined,
      'authorization',
      'reserved_namespace',
      'authorization',
      'instruction_write_required',
    ]);
  });

  it('lets later items contradict earlier ones of the same batch', async () => {
    const { body } = await post([factBody(), factBody({ value: { type: 'string', v: 'CTO' } })]);
    expect(body.accepted).to.equal(2);
    const conflicts = await node.request('GET', '/v1/conflicts', { key });
    expect(conflicts.body.conflicts).to.have.lengthOf(1);
  });

  it('refuses only the contradicting item in strict mode, and stores the other items', async () => {
    const strict = await startTestNode({
      plugins: ['facts', 'conflicts'],
      settings: { conflicts: { mode: 'strict' } },
    });
    try {
      const strictKey = await strict.addKey();
      const single = (changes = {}) => strict.request('POST', '/v1/facts', { key: strictKey, body: factBody(changes) });
      const { body: first } = await single();
      const other = { value: { type: 'string', v: 'CTO' } };
      const refused = await single(other);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'conflict']);
      expect(refused.body.conflicting_fact_ids).to.deep.equal([first.id]);
      expect((await single()).status).to.equal(201);
      const { body } = await strict.request('POST', '/v1/facts/batch', {
        key: strictKey,
        body: [factBody(other), factBody({ relation: 'memory:title' })],
      });
      expect(body.results.map(({ status }: { status: number }) => status)).to.deep.equal([409, 201]);
      expect(await storedFacts(strict)).to.equal(2);
    } finally {
      await strict.stop();
    }
  });
});
