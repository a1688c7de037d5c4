import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal, sealJson } from '../../../../kernel/plugin-api.ts';
import { NodeIdentity } from '../../../../plugins/node-info/node-info-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { exportLines } from '../../transfer/transfer-node.ts';
import { ErasureNode, VICTIM } from './erasure-node.ts';
import { findTraces } from './find-traces.ts';

const CANARY = 'zebrafish-quartz-7f3a';

forEachStore('erasing the facts of a tombstone', (kind) => {
  let at: ErasureNode;
  beforeEach(async () => {
    at = await ErasureNode.start(kind);
  });
  afterEach(() => at.remove());
  const traces = () => findTraces(at.node.kernel.get(FactStore), undefined, [CANARY]);

  it('is refused for an unknown, unconfirmed, revoked or held tombstone', async () => {
    await at.say(CANARY);
    await at.erase('tomb_none', {}, 404);
    const id = await at.tombstone();
    await at.erase(id, { confirm: 'user:other' }, 422);
    const held = await at.tombstone({ scope: 'company', legal_hold: true });
    expect((await at.erase(id, {}, 409)).code).to.equal('legal_hold');
    expect((await at.erase(id, { dry_run: true }, 409)).code).to.equal('legal_hold');
    await at.post(`/v1/tombstones/${held}/revoke`, { reason: 'the case is over' });
    await at.post(`/v1/tombstones/${id}/revoke`, { reason: 'a mistake' });
    expect((await at.erase(id, {}, 409)).code).to.equal('conflict');
    expect(await traces()).to.not.deep.equal([]);
  });

  it('is refused while tombstones are disabled', async () => {
    const id = await at.tombstone();
    await at.end();
    await at.start({ env: { SVC_TOMBSTONES_ENABLED: 'false' } });
    expect((await at.erase(id, {}, 409)).code).to.equal('tombstones_off');
  });

  it('affects only the scope of the tombstone', async () => {
    await at.say(CANARY, { scope: 'public' });
    const kept = await at.say('stays');
    const receipt = await at.erase(await at.tombstone({ scope: 'public' }));
    expect(receipt.erased.facts).to.equal(1);
    expect((await at.get(`/v1/facts/${kept.id}`)).value.v).to.equal('stays');
    expect(await traces()).to.deep.equal([]);
  });

  it('returns a signed receipt, and the hash chain of facts still verifies', async () => {
    await at.say('before', { entity: 'user:other' });
    await at.say(CANARY);
    await at.say('after', { entity: 'user:other' });
    const { signature, ...stated } = await at.erase(await at.tombstone());
    const key = decodeBase64Url(at.node.kernel.get(NodeIdentity).publicKey) as Uint8Array;
    const signed = decodeBase64Url(signature) as Uint8Array;
    expect(verifyEd25519(key, Buffer.from(canonicalJson(stated)), signed)).to.equal(true);
    const found = await at.post('/v1/recall', { query: 'before', token_budget: 500 }, 200, { 'Svc-Verify': 'full' });
    expect(found.chain_proof.checked_entries).to.be.at.least(3);
  });

  it('destroys facts stored after the first erasure when repeated', async () => {
    await at.say('first');
    const id = await at.tombstone();
    const first = await at.erase(id);
    await at.say(CANARY);
    const second = await at.erase(id);
    expect(second.id).to.not.equal(first.id);
    expect(second.erased.facts).to.equal(1);
    expect(await traces()).to.deep.equal([]);
  });

  it('destroys the values of facts that others ended by replacement, and keeps the ids', async () => {
    const first = await at.say(CANARY);
    const second = await at.say(`${CANARY} again`, { replaces: [first.id] });
    await at.say(`${CANARY} retracted`, { replaces: [second.id], confidence: 0 });
    const receipt = await at.erase(await at.tombstone());
    expect(receipt.erased.facts).to.equal(3);
    expect(await traces()).to.deep.equal([]);
    expect((await exportLines(at.node)).join()).to.not.include(CANARY);
    expect(JSON.stringify(await at.get(`/v1/facts?entity=${VICTIM}&include_retracted=true`))).to.not.include(CANARY);
    const named = await findTraces(at.node.kernel.get(FactStore), undefined, [first.id]);
    expect(named.some((column) => column.startsWith('fact_named_covers.'))).to.equal(true);
  });

  it('runs as a background job for many facts', async () => {
    await at.end();
    await at.start({ env: { SVC_ASYNC_JOB_THRESHOLD: '2' } });
    for (let n = 0; n < 3; n += 1) await at.say(`${CANARY} ${n}`, { relation: `memory:n${n}` });
    const { job_id: job, status } = await at.erase(await at.tombstone(), {}, 202);
    expect(status).to.equal('pending');
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await at.get(`/v1/jobs/${job}`)).status === 'done';
    });
    const ended = await at.get(`/v1/jobs/${job}`);
    expect(ended.receipt.erased.facts).to.equal(3);
    expect(ended.progress).to.include({ done: 3, total: 3 });
    const lesser = await at.node.addKey({ permissions: ['read'] });
    const seen = await at.node.request('GET', `/v1/jobs/${job}`, { key: lesser });
    expect([seen.status, seen.body.progress]).to.deep.equal([200, undefined]);
    expect(await traces()).to.deep.equal([]);
  });

  it('is completed at the next start after a crash', async () => {
    await at.say(CANARY);
    const id = await at.tombstone();
    const store = at.node.kernel.get(FactStore);
    const receipt = await at.erase(id);
    await at.say(`${CANARY} again`);
    // Restores the state that a process leaves when it crashes in the middle of an erasure.
    const position = sealJson({ phase: 'references', at: null });
    await store.table('tombstones_erasures').update({ state: 'running', position, receipt: null, touched_ms: 0 });
    await at.end();
    await at.start();
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await traces()).length === 0;
    });
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      const [row] = (await at.node.kernel.get(FactStore).table('tombstones_erasures')) as { state: string }[];
      return row?.state === 'done';
    });
    expect((await at.erase(id)).id).to.not.equal(receipt.id);
  });

  it('is repeated in a store restored from an older backup', async () => {
    await at.say(CANARY);
    const { id: other } = await at.say('stays', { entity: 'user:other' });
    const lines = join(at.folder, 'erasures.jsonl');
    const id = await at.tombstone();
    await at.erase(id);
    const journal = await readFile(lines, 'utf8').catch(() => '');
    expect(journal).to.contain(id).and.not.contain(CANARY);
    // Deletes the tombstone, as in a backup made before it, while a fact of the entity exists.
    const store = at.node.kernel.get(FactStore);
    for (const table of ['tombstones_erasures', 'tombstones_markers', 'tombstones_hidden']) {
      await store.table(table).delete();
    }
    await at.say(`${CANARY} from the backup`);
    await at.end();
    await writeFile(lines, `${journal}not a line\n${journal.replace(/"facts":1/, '"facts":2')}`);
    await at.start();
    expect((await at.get(`/v1/facts?entity=${VICTIM}`)).facts).to.deep.equal([]);
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await traces()).length === 0;
    });
    expect((await at.get(`/v1/facts/${other}`)).value.v).to.equal('stays');
    expect((await at.get(`/v1/tombstones/${VICTIM}`)).tombstones[0].id).to.equal(id);
  });

  it('prevents erased facts of peers from returning, but accepts later ones', async () => {
    const before = `${at.node.clock.nowMs()}.0`;
    await at.erase(await at.tombstone());
    await at.node.clock.advance(60_000);
    const { names } = at.node.kernel.get(NodeSelf);
    const arrive = (id: string, hlcText: string, v: string) => {
      const value = { type: 'text', v, interpretAs: 'content' } as const;
      const fact = { id, entity: VICTIM, relation: 'memory:note', value, source: 'agent:s', scope: 'public' } as const;
      const peer = { receivedFrom: 'svc:node:peer', originNodeId: 'svc:node:peer', hlcText };
      const draft = { ...fact, ...peer, confidence: 1, timestamp: '2026-01-01T00:00:00Z' };
      return at.node.facts.append(draft, nodePrincipal(names), { origin: 'peer' });
    };
    await arrive('from-before', before, CANARY);
    expect(await traces()).to.deep.equal([]);
    await arrive('from-later', `${at.node.clock.nowMs()}.0`, 'later');
    const store = at.node.kernel.get(FactStore);
    const rows = (await store.table('facts').whereIn('id', ['from-before', 'from-later'])) as {
      id: string;
      value_v: string | null;
    }[];
    expect(rows.map(({ id, value_v }) => [id, value_v]).sort()).to.deep.equal([
      ['from-before', null],
      ['from-later', 'later'],
    ]);
  });
});
