import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from '../facts/fact-bodies.ts';
import { CAST, type GardenNode, startGardenNode } from '../gardens/garden-kit.ts';

const PLUGINS = ['attestation', 'facts', 'keys', 'node-info', 'conflicts'] as const;
const WARNING = 'the source is not the entity of the key, so the fact is not attested';

type Mode = 'off' | 'warn' | 'enforce';
const inMode = (mode: Mode): TestNodeOptions => ({ plugins: PLUGINS, env: { SVC_SOURCE_ATTESTATION_MODE: mode } });

forEachStore('source attestation', () => {
  let node: TestNode;
  let key: string;
  afterEach(() => node.stop());

  const start = async (mode: Mode): Promise<void> => {
    node = await startTestNode(inMode(mode));
    key = await node.addKey({ entityUri: 'agent:w1' });
  };
  const post = (changes: Record<string, unknown> = {}, as = key) =>
    node.request('POST', '/v1/facts', { key: as, body: factBody(changes) });
  const metadata = async () => (await node.request('GET', '/.well-known/svc')).body.source_attestation;

  it('off: checks no source, and marks no fact', async () => {
    await start('off');
    const { status, body } = await post({ source: 'agent:other' });
    expect([status, body.attested, body.warnings]).to.deep.equal([201, null, []]);
    expect((await post()).body.attested).to.equal(null);
    expect(await metadata()).to.equal('off');
  });

  it('enforce: accepts only the own entity as the source, in any spelling of its match key', async () => {
    await start('enforce');
    expect(await metadata()).to.equal('enforce');
    const own = await post();
    expect([own.status, own.body.attested, own.body.warnings]).to.deep.equal([201, true, []]);
    const spelled = await post({ entity: 'user:bob', source: ' Agent:W1 ' });
    expect([spelled.status, spelled.body.attested, spelled.body.source]).to.deep.equal([201, true, 'Agent:W1']);
    for (const source of ['agent:other', 'agent:w1/', 'agent:w1x', 'agent:w 1', 'svc:node:x']) {
      const { status, body } = await post({ source });
      expect([status, body.code], source).to.deep.equal([403, 'source_attestation_failed']);
    }
    const read = await node.request('GET', `/v1/facts/${own.body.id}`, { key });
    expect([read.body.attested, read.body.warnings]).to.deep.equal([true, []]);
    expect(await storedFacts(node)).to.equal(2);
  });

  it('enforce: refuses other sources even to an admin, with an error that contains no value', async () => {
    await start('enforce');
    const admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    const { status, body, text } = await post({}, admin);
    expect([status, body.code]).to.deep.equal([403, 'source_attestation_failed']);
    expect(text).not.to.contain('agent:');
  });

  it('enforce: checks each item of a batch separately', async () => {
    await start('enforce');
    const items = [factBody(), factBody({ source: 'agent:other' }), factBody({ relation: 'memory:age' })];
    const { status, body } = await node.request('POST', '/v1/facts/batch', { key, body: items });
    expect([status, body.accepted, body.rejected]).to.deep.equal([200, 2, 1]);
    expect(body.results.map((one: { status: number }) => one.status)).to.deep.equal([201, 403, 201]);
    expect(body.results[1].error.code).to.equal('source_attestation_failed');
  });

  it('warn: accepts any source, and marks facts without attestation', async () => {
    await start('warn');
    expect(await metadata()).to.equal('warn');
    const foreign = await post({ source: 'agent:other' });
    expect([foreign.status, foreign.body.attested, foreign.body.warnings]).to.deep.equal([201, false, [WARNING]]);
    const own = await post({ relation: 'age' });
    expect([own.status, own.body.attested]).to.deep.equal([201, true]);
    expect(own.body.warnings, 'that of the relation alone').to.have.lengthOf(1).and.not.include(WARNING);
    const both = await post({ relation: 'height', source: 'agent:other' });
    expect(both.body.warnings).to.have.lengthOf(2).and.include(WARNING);
    const again = await post({ source: 'agent:other' });
    expect([again.body.id, again.body.warnings], 'a repetition too').to.deep.equal([foreign.body.id, [WARNING]]);
    const marked = async (attested: boolean) =>
      (await node.request('GET', `/v1/facts?attested=${attested}&include_contradicted=true`, { key })).body.total;
    expect([await marked(true), await marked(false)]).to.deep.equal([1, 2]);
  });

  it('warn: returns warnings for the items of a batch', async () => {
    await start('warn');
    const items = [factBody(), factBody({ relation: 'memory:age', source: 'agent:other' })];
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: items });
    const warnings = body.results.map((one: { fact: { warnings: unknown } }) => one.fact.warnings);
    expect(warnings).to.deep.equal([[], [WARNING]]);
  });

  it('allows resolutions, because the node sets the caller as their source', async () => {
    await start('enforce');
    await post();
    await post({ value: { type: 'string', v: 'cook' } });
    const { body: listed } = await node.request('GET', '/v1/conflicts', { key });
    const path = `/v1/conflicts/${listed.conflicts[0].conflict_id}/resolve`;
    const body = { new_value: { type: 'string', v: 'baker' } };
    const resolved = await node.request('POST', path, { key, body });
    expect(resolved.status, resolved.text).to.equal(200);
    const fact = await node.request('GET', `/v1/facts/${resolved.body.resolution_fact_id}`, { key });
    expect([fact.body.source, fact.body.attested]).to.deep.equal(['agent:w1', true]);
  });
});

forEachStore('a promotion under source attestation', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  for (const mode of ['enforce', 'warn'] as const) {
    it(`${mode}: keeps the author as the source, although the moderator cannot attest it`, async () => {
      const plugins = ['attestation', 'gardens', 'keys', 'facts'];
      garden = await startGardenNode({ plugins, env: { SVC_SOURCE_ATTESTATION_MODE: mode } });
      await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
      for (const [entity_uri, role] of [
        [CAST.writer, 'writer'],
        [CAST.reader, 'quarantine:moderator'],
      ]) {
        await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri, role });
      }
      const held = await garden.say('writer', { garden_id: 'ward', source: CAST.writer });
      await garden.must(200, 'reader', 'POST', `/v1/quarantine/${held.id}/admit`, {});
      const { body } = await garden.must(200, 'stranger', 'GET', '/v1/facts?entity=user:alice');
      const [copy] = body.facts;
      expect([copy.source, copy.attested]).to.deep.equal([CAST.writer, false]);
    });
  }
});
