import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { findTraces } from '../tombstones/erasure/find-traces.ts';
import { contentOf, exportLines, importAll } from './transfer-node.ts';

const CANARY = 'zebrafish-quartz-7f3a';
const VICTIM = 'user:victim';
const env = { SVC_TOMBSTONES_ENABLED: 'true' };

const factsOf = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('{"type":"fact"'));

forEachStore('An export of a tenant with erased facts', () => {
  let node: TestNode;
  let key: string;
  let before: string[];
  let kept: { readonly id: string };
  let gone: readonly { readonly id: string; readonly cid: string }[];

  const post = async (path: string, body: object) => {
    const reply = await node.request('POST', path, { key, body });
    expect(reply.status, `${path} ${reply.text}`).to.be.below(300);
    return reply.body;
  };
  const say = (v: string, members: object = {}) =>
    post('/v1/facts', {
      entity: VICTIM,
      relation: 'memory:note',
      value: { type: 'text', v },
      source: 'agent:s',
      scope: 'company',
      ...members,
    });
  const traces = (at = node) =>
    findTraces(at.kernel.get(FactStore), undefined, [CANARY, ...gone.map(({ cid }) => cid)]);

  beforeEach(async () => {
    node = await startTestNode({ env });
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    gone = [await say(`${CANARY} one`), await say(`${CANARY} two`)];
    const value = { type: 'datetime', v: '2099-01-01T00:00:00Z' };
    await say('', { entity: `svc:fact:${gone[0]?.id}`, relation: 'svc:ttl', value });
    const { conflicts } = (await node.request('GET', '/v1/conflicts', { key })).body;
    const resolution = { winning_fact_id: gone[1]?.id, resolution_note: CANARY };
    await post(`/v1/conflicts/${conflicts[0].conflict_id}/resolve`, resolution);
    kept = await say('stays', { entity: 'user:other', derived_from: [gone[0]?.cid] });
    before = await exportLines(node);
    expect(before.join('\n')).to.contain(CANARY);
    const { id } = await post('/v1/tombstones', { entity_uri: VICTIM });
    await post(`/v1/tombstones/${id}/erase`, { confirm: VICTIM });
    expect(await traces()).to.deep.equal([]);
  });
  afterEach(() => node.stop());

  it('leaves out erased facts, and can be imported without errors', async () => {
    const lines = await exportLines(node);
    const text = lines.join('\n');
    expect(text).to.contain(kept.id).and.not.contain(CANARY);
    const ids = lines.map((line) => JSON.parse(line)).flatMap(({ type, id }) => (type === 'fact' ? [id] : []));
    for (const { id, cid } of gone) {
      expect(ids).to.not.include(id);
      expect(text).to.not.contain(cid);
    }
    const other = await startTestNode({ env, random: createSeededRandom(7) });
    try {
      expect(await importAll(other, lines)).to.deep.equal({ stored: ids.length, refused: [] });
      expect(factsOf(await contentOf(other))).to.deep.equal(factsOf(lines));
      const admin = await other.addKey({ permissions: ['read', 'admin'] });
      const listed = await other.request('GET', '/v1/conflicts?status=all', { key: admin });
      expect(listed.body.conflicts).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });

  it('cannot bring erased facts back, although an older file contains them', async () => {
    const content = await contentOf(node);
    expect(await importAll(node, before)).to.deep.equal({ stored: 0, refused: [] });
    expect(await traces()).to.deep.equal([]);
    expect(await contentOf(node)).to.deep.equal(content);
  });
});
