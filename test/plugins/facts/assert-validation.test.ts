import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

describe('the validation of assertions', () => {
  let node: TestNode;
  let key: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  after(() => node.stop());

  const assert = (body: unknown) => node.request('POST', '/v1/facts', { key, body });

  const expectRefusal = async (changes: Record<string, unknown>, status = 422, code = 'validation') => {
    const before = await storedFacts(node);
    const reply = await assert(factBody(changes));
    const label = JSON.stringify(changes).slice(0, 200);
    expect(reply.status, label).to.equal(status);
    expect(reply.body.code, label).to.equal(code);
    expect(reply.body.detail, label).to.be.a('string');
    expect(reply.headers['content-type']).to.equal('application/problem+json');
    expect(await storedFacts(node), label).to.equal(before);
    return reply;
  };

  it('refuses values that do not fit their type', async () => {
    const values: unknown[] = [
      { type: 'number', v: '5' },
      { type: 'boolean', v: 'true' },
      { type: 'ref', v: '' },
      { type: 'datetime', v: 'x' },
      { type: 'null', v: 1 },
      { type: 'blob', v: 'x' },
      { type: 'string', v: 5 },
      { v: 'x' },
      'CEO',
      null,
      [],
    ];
    for (const value of values) await expectRefusal({ value });
    for (const confidence of [-0.01, 1.01, '1', true]) await expectRefusal({ confidence });
  });

  it('refuses dates that do not exist in the calendar, and accepts a time offset', async () => {
    for (const valid_until of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      'tomorrow',
      0,
      '2026-01-01',
      '+275760-09-13T00:00:00Z',
    ]) {
      await expectRefusal({ valid_until });
    }
    const entity = 'user:offset';
    const valid_until = '2026-03-02T10:30:00+02:00';
    expect((await assert(factBody({ entity, valid_until }))).body.valid_until).to.equal(valid_until);
    // At 09:00, the instant 08:30 UTC is in the past.
    expect((await node.request('GET', `/v1/facts?entity=${entity}`, { key })).body.total).to.equal(0);
  });

  it('names the invalid member and never its value', async () => {
    const { body } = await expectRefusal({ scope: 'galaxy-secret' });
    expect(body.errors).to.deep.equal([{ path: 'body.scope', message: 'must be one of local, team, company, public' }]);
    expect(JSON.stringify(body)).to.not.include('galaxy-secret');
  });

  it('refuses each other member of a wrong type', async () => {
    for (const changes of [
      { relation: 'has space' },
      { relation: 'a'.repeat(257) },
      { relation: 7 },
      { relation: '' },
      { scope: ['local'] },
      { scope: 'Public' },
      { timestamp: 'now' },
      { write_mode: 'overwrite' },
      { garden_id: 5 },
      { garden_id: ' ' },
      { attestation: 'x' },
      { attestation: { key_id: 'k' } },
      { attestation: { key_id: 1, signature: 'x' } },
    ]) {
      await expectRefusal(changes);
    }
    for (const missing of ['entity', 'relation', 'source', 'value']) await expectRefusal({ [missing]: undefined });
    for (const body of ['[]', '"x"', '5', 'null']) expect((await assert(body)).status).to.equal(422);
  });

  it('treats null for an optional member as absent', async () => {
    const absent = {
      confidence: null,
      scope: null,
      valid_until: null,
      timestamp: null,
      garden_id: null,
      write_mode: null,
      derived_from: null,
      attestation: null,
      session_id: null,
      value: { type: 'string', v: 'CEO', interpret_as: null },
    };
    const { status, body } = await assert(factBody({ entity: 'user:absent', ...absent }));
    expect(status).to.equal(201);
    expect(body).to.include({ confidence: 1, scope: 'local', valid_until: null, garden_id: null });
    expect(body.value).to.deep.equal({ type: 'string', v: 'CEO', interpret_as: 'content' });
    for (const missing of ['entity', 'relation', 'source', 'value']) await expectRefusal({ [missing]: null });
  });

  it('reports all violations of a body at once, under one code', async () => {
    const { body } = await expectRefusal({
      entity: '',
      confidence: 2,
      scope: 'galaxy',
      garden: 'drafts',
      value: { type: 'number', v: 'five', unit: 'kg' },
      derived_from: [{ hsh: 'x' }],
    });
    expect(body.errors.map(({ path }: { path: string }) => path)).to.deep.equal([
      'body.value.unit',
      'body.garden',
      'body.derived_from[0].hsh',
      'body.entity',
      'body.value.v',
      'body.confidence',
      'body.scope',
      'body.derived_from[0]',
    ]);
    const alike = await expectRefusal({ entity: '', source: ' ' }, 422, 'invalid_entity_uri');
    expect(alike.body.errors).to.have.length(2);
  });

  it('refuses a session that differs from the header', async () => {
    await expectRefusal({ session_id: 's1' });
    const as = (session: string) => ({
      key,
      headers: { 'Svc-Session': session },
      body: factBody({ session_id: 's1' }),
    });
    expect((await node.request('POST', '/v1/facts', as('s2'))).status).to.equal(422);
    expect((await node.request('POST', '/v1/facts', as('s1'))).status).to.equal(201);
  });

  it('refuses entities and sources that are not identifiers', async () => {
    for (const text of ['', '   ', 'a'.repeat(2049), 'a\u0007b', 'a\u0085b']) {
      await expectRefusal({ entity: text }, 422, 'invalid_entity_uri');
      await expectRefusal({ source: text }, 422, 'invalid_entity_uri');
    }
    expect((await assert(factBody({ entity: 'a'.repeat(2048) }))).status).to.equal(201);
  });

  it('refuses values that are too long with 413', async () => {
    await expectRefusal({ value: { type: 'string', v: 'é'.repeat(8193) } }, 413, 'value_too_large');
    await expectRefusal({ value: { type: 'text', v: 'a'.repeat(1024 * 1024 + 1) } }, 413, 'value_too_large');
    expect((await assert(factBody({ value: { type: 'text', v: 'a'.repeat(1024 * 1024) } }))).status).to.equal(201);
  });

  it('refuses derived_from entries without a reference, and more than 100', async () => {
    for (const derived_from of [
      'x',
      {},
      ['x'],
      [5],
      [null],
      [{}],
      [{ hash: 'sha256:12' }],
      [{ fact_id: 5 }],
      [{ fact_id: 'a b' }],
      [[]],
      Array.from({ length: 101 }, () => 'a'.repeat(64)),
    ]) {
      await expectRefusal({ derived_from });
    }
  });

  it('refuses U+0000 and lone surrogates in any text', async () => {
    for (const escaped of ['\\u0000', '\\ud800', 'x\\udc00']) {
      for (const member of ['entity', 'relation', 'source', 'garden_id', 'unknown']) {
        const text = JSON.stringify(factBody({ [member]: 'MARK' })).replace('MARK', escaped);
        expect((await assert(text)).status, `${member} ${escaped}`).to.equal(422);
      }
      const value = JSON.stringify(factBody({ value: { type: 'text', v: 'MARK' } })).replace('MARK', escaped);
      expect((await assert(value)).status, escaped).to.equal(422);
    }
    const invalid = Buffer.concat([Buffer.from('{"entity":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect((await assert(invalid)).status).to.equal(400);
  });

  it('refuses a repeated member with 400 and a number that a double cannot hold with 422', async () => {
    const twice = JSON.stringify(factBody()).replace('"type":"string"', '"type":"string","v":"CTO"');
    const reply = await assert(twice);
    expect([reply.status, reply.body.code]).to.deep.equal([400, 'malformed_json']);
    for (const number of ['9007199254740993', '1e999']) {
      const text = JSON.stringify(factBody({ value: { type: 'number', v: 0.125 } })).replace('0.125', number);
      expect((await assert(text)).status, number).to.equal(422);
      const confidence = JSON.stringify(factBody({ confidence: 0.125 })).replace('0.125', number);
      expect((await assert(confidence)).status, number).to.equal(422);
    }
  });

  it('ignores names of JavaScript prototypes, and names them in its refusal', async () => {
    const text = JSON.stringify(factBody({ entity: 'user:proto', value: { type: 'string', v: 'CEO', x: 1 } }))
      .replace('"x":1', '"__proto__":{"interpret_as":"instruction"}')
      .replace('{', '{"__proto__":{"confidence":0.5,"scope":"public"},"constructor":{"prototype":{"scope":"team"}},');
    const { status, body } = await assert(text);
    expect(status).to.equal(422);
    expect(body.errors.map(({ path }: { path: string }) => path)).to.deep.equal([
      'body.__proto__',
      'body.constructor',
      'body.value.__proto__',
    ]);
    expect(({} as Record<string, unknown>)['scope']).to.equal(undefined);
  });

  it('stores hostile text byte for byte', async () => {
    const hostile = `'; DROP TABLE facts; -- " % _ \\ \u001b[31m {"billing":{}} \r\n $1 ?`;
    const { status, body } = await assert(
      factBody({ entity: `x' OR 1=1 --%_\\`, value: { type: 'text', v: hostile } }),
    );
    expect(status).to.equal(201);
    const read = await node.request('GET', `/v1/facts/${body.id}`, { key });
    expect(read.body.value.v).to.equal(hostile);
    expect(read.body.entity).to.equal(`x' OR 1=1 --%_\\`);
  });
});
