import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { equals } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { type DecayNode, startDecayNode } from './decay-node.ts';

/** More facts than two pieces of the ledger. */
const FACTS = 4_100;
const BATCH = 820;

describe('a decay sweep over a large ledger, read in several parts', function () {
  this.timeout(240_000);
  let folder: string;
  let node: DecayNode;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'large-sweep-'));
  });
  afterEach(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (threshold: string) => {
    const plugins = ['conflicts', 'decay', 'facts', 'jobs', 'keys', 'synthesis'];
    node = await startDecayNode({ plugins, folder, env: { SVC_ASYNC_JOB_THRESHOLD: threshold } });
  };
  const fill = async () => {
    for (let at = 0; at < FACTS; at += BATCH) {
      const body = Array.from({ length: BATCH }, (_, n) => ({
        entity: `user:${at + n}`,
        relation: 'memory:n',
        value: { type: 'number', v: at + n },
        source: 'agent:writer',
        scope: 'company',
        // The strongest facts lie in every piece.
        confidence: (at + n) % 1_000 === 7 ? 0.9 : 0.1,
      }));
      const { status, body: reply } = await node.post('/v1/facts/batch', body);
      expect([status, reply.rejected]).to.deep.equal([200, 0]);
    }
  };
  const ttls = () => node.kernel.get(FactStore).read((snapshot) => snapshot.count(equals('relationKey', 'svc:ttl')));

  it('counts, reports and ends the facts of all parts', async () => {
    await start('100000');
    await fill();
    expect(await node.sweep({ min_confidence: 0.5, dry_run: true })).to.include({ scanned: FACTS, decayed: FACTS - 5 });
    const { body } = await node.request('GET', '/v1/synthesis?limit=6', { key: node.key });
    expect(body).to.include({ fact_count: FACTS, contradiction_count: 0 });
    const found = body.facts.map((fact: { value: { v: number } }) => fact.value.v);
    expect(found).to.deep.equal([4_007, 3_007, 2_007, 1_007, 7, FACTS - 1]);
    expect(await node.sweep({ min_confidence: 0.5 })).to.include({ scanned: FACTS, decayed: FACTS - 5 });
    expect(await ttls()).to.equal(FACTS - 5);
    expect(await node.sweep({ ttl_seconds: 0 })).to.include({ scanned: 5, decayed: 5 });
  });

  it('continues as a job after its node was stopped', async () => {
    await start('100');
    await fill();
    const { status, body } = await node.post('/v1/decay/sweep', { ttl_seconds: 0 });
    expect(status).to.equal(202);
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await ttls()) > 0;
    });
    await node.stop();
    await start('100');
    const read = async () => (await node.request('GET', `/v1/decay/jobs/${body.job_id}`, { key: node.admin })).body;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await read()).status === 'done';
    });
    expect(await read()).to.include({ scanned: FACTS, decayed: FACTS });
    expect(await ttls()).to.equal(FACTS);
  });
});
