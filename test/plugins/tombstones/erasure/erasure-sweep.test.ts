import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../../config/plugin-catalog.ts';
import { defineOwnPlugin } from '../../../../kernel/internal-api.ts';
import { Embedder } from '../../../../kernel/plugin-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { pageText } from '../../../documents/read-pages.ts';
import { createScriptedEmbedder } from '../../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { findTraces } from './find-traces.ts';

const CANARY = 'zebrafish-quartz-7f3a';
const VICTIM = 'user:victim';

const embedder = defineOwnPlugin({
  name: 'test-embedder',
  provides: [Embedder],
  setup: ({ provide }) => provide(Embedder, createScriptedEmbedder()),
});

forEachStore('an erasure', (kind) => {
  let folder: string;
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'erasure-'));
    await start();
  });
  afterEach(async () => {
    await node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async () => {
    node = await startTestNode({
      plugins: [...Object.keys(PLUGIN_CATALOG), embedder],
      folder,
      env: { SVC_TOMBSTONES_ENABLED: 'true' },
    });
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read', 'instruction:write'] });
  };
  const post = async (path: string, body: object, status = 200, headers = {}) => {
    const reply = await node.request('POST', path, { key, body, headers });
    expect(reply.status, `${path} ${reply.text}`).to.equal(status);
    return reply.body;
  };
  const fact = (value: unknown, members: object = {}) => ({
    entity: VICTIM,
    relation: 'memory:note',
    value: { type: 'text', v: value },
    source: 'agent:s',
    scope: 'company',
    ...members,
  });
  const say = (value: unknown, members?: object, headers?: object) =>
    post('/v1/facts', fact(value, members), 201, headers);
  const tombstone = async (): Promise<string> => (await post('/v1/tombstones', { entity_uri: VICTIM }, 201)).id;
  const erase = (id: string, body: object = {}, status?: number) =>
    post(`/v1/tombstones/${id}/erase`, { confirm: VICTIM, ...body }, status);
  const traces = (needles: readonly string[]) =>
    findTraces(node.kernel.get(FactStore), kind === 'sqlite' ? folder : undefined, needles);

  it('leaves no byte of values and content ids in the store, and counts the destroyed data', async () => {
    const said = [
      await say(`${CANARY} plain`),
      await say(`${CANARY} again`, { confidence: 0.5, reason: `${CANARY} says so` }),
      await say(`${CANARY} replayed`, { relation: 'memory:replayed' }, { 'Idempotency-Key': 'once' }),
    ];
    await post('/v1/facts/batch', [fact(`${CANARY} batch`, { relation: 'memory:b' })], 200);
    const other = { entity: 'user:other', relation: 'memory:derived', derived_from: [said[0].cid] };
    const derived = await say('made of another', other, { 'Idempotency-Key': 'derived' });
    await say('user:friend', { relation: 'rel:knows', value: { type: 'ref', v: `user:${CANARY}` } });
    const [conflict] = (await node.request('GET', '/v1/conflicts', { key })).body.conflicts;
    await post(`/v1/conflicts/${conflict.id ?? conflict.conflict_id}/resolve`, {
      winning_fact_id: said[0].id,
      resolution_note: `because ${CANARY}`,
    });
    const card = await node.request('GET', `/v1/cards/${encodeURIComponent(VICTIM)}?scope=company`, { key });
    expect(card.text).to.contain(CANARY);
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      const vectors = (await node.kernel.get(FactStore).table('search_vectors').select()) as readonly unknown[];
      return vectors.length >= 6;
    });
    expect(await traces([CANARY])).to.not.deep.equal([]);

    const id = await tombstone();
    const preview = await erase(id, { dry_run: true });
    expect(preview).to.include({ dry_run: true, tombstone_id: id });
    expect(preview).to.not.have.property('signature');
    expect(await traces([CANARY])).to.not.deep.equal([]);
    const receipt = await erase(id);
    expect(receipt.erased).to.deep.equal(preview.erased);
    expect(receipt.erased.facts).to.be.at.least(7);
    expect(receipt.erased).to.include({ edges: 1, notes: 1, reasons: 1, references: 3 });
    const [counts = ''] = /^- `erased` counts .+?(?=^- )/ms.exec(pageText('docs/reference/erasure.md')) ?? [];
    for (const word of Object.keys(receipt.erased)) expect(counts).to.include(`\`${word}\``);
    for (const word of ['vectors', 'cards', 'replies']) expect(receipt.erased[word], word).to.be.above(0);
    const cids = said.map(({ cid }) => cid);
    expect(await traces([CANARY, ...cids])).to.deep.equal([]);

    const provenance = await node.request('GET', `/v1/facts/${derived.id}/provenance`, { key });
    expect(provenance.status).to.equal(200);
    expect(provenance.text).to.not.contain(said[0].cid);
    for (const { id: gone } of said) {
      expect((await node.request('GET', `/v1/facts/${gone}`, { key })).status).to.equal(404);
    }
    const again = await node.request('POST', '/v1/facts', {
      key,
      body: fact(`${CANARY} replayed`, { relation: 'memory:replayed' }),
      headers: { 'Idempotency-Key': 'once' },
    });
    expect(again.status).to.be.within(400, 499);
    expect(await erase(id)).to.deep.equal(receipt);
    const revoked = await post(`/v1/tombstones/${id}/revoke`, { reason: 'a mistake' }, 409);
    expect(revoked.code ?? revoked.type).to.contain('tombstone_erased');
  });
});
