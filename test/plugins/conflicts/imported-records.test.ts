import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { exportLines, importAll } from '../transfer/transfer-node.ts';

forEachStore('conflicts that a later export brings again', () => {
  const nodes: TestNode[] = [];
  const start = async () => {
    const node = await startTestNode({ random: createSeededRandom(nodes.length + 1) });
    nodes.push(node);
    return { node, key: await node.addKey({ permissions: ['read', 'write', 'admin'] }) };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const send = async ({ node, key }: Started, method: 'GET' | 'POST', path: string, body?: object) => {
    const reply = await node.request(method, path, { key, body });
    expect(reply.status, `${path} ${reply.text}`).to.be.below(300);
    return reply.body;
  };
  const say = (started: Started, v: string, members: object = {}) => {
    const body = { entity: 'user:a', relation: 'memory:role', value: { type: 'string', v }, source: 'agent:w1' };
    return send(started, 'POST', '/v1/facts', { ...body, ...members });
  };
  const shown = async (started: Started): Promise<string[]> =>
    (await send(started, 'GET', '/v1/facts?entity=user:a')).facts.map(({ value }: { value: { v: string } }) => value.v);
  interface Conflict {
    readonly conflict_id: string;
    readonly status: string;
    readonly members: readonly string[];
  }
  const conflictsOf = async (started: Started): Promise<Conflict[]> =>
    (await send(started, 'GET', '/v1/conflicts?status=all')).conflicts.map(
      ({ conflict_id, status, members }: Conflict) => ({ conflict_id, status, members }),
    );
  const move = async (from: Started, to: Started): Promise<void> => {
    expect((await importAll(to.node, await exportLines(from.node))).refused).to.deep.equal([]);
  };

  it('have the winner of all facts that are live now', async () => {
    const [from, to] = [await start(), await start()];
    await say(from, 'CEO');
    await say(from, 'CTO');
    await move(from, to);
    const { id } = await say(from, 'CFO');
    await move(from, to);
    expect(await shown(from)).to.deep.equal(['CFO']);
    expect(await shown(to)).to.deep.equal(['CFO']);
    const value = { type: 'datetime', v: new Date(from.node.clock.nowMs() - 1).toISOString() };
    await say(from, '', { entity: `svc:fact:${id}`, relation: 'svc:ttl', value });
    await move(from, to);
    expect(await shown(from)).to.deep.equal(['CTO']);
    expect(await shown(to)).to.deep.equal(['CTO']);
  });

  it('are listed beside an earlier one of the same facts that was settled', async () => {
    const [from, to] = [await start(), await start()];
    await say(from, 'CEO');
    await say(from, 'CTO');
    await move(from, to);
    // The ids of the conflicts are random, so either may come first.
    for (let turn = 0; turn < 4; turn += 1) {
      const [open] = (await conflictsOf(from)).filter(({ status }) => status === 'unresolved');
      await send(from, 'POST', `/v1/conflicts/${open?.conflict_id}/resolve`, { winning_fact_id: open?.members[0] });
      await say(from, `C${turn}O`);
      await move(from, to);
      expect(await conflictsOf(to), `turn ${turn}`).to.deep.equal(await conflictsOf(from));
    }
  });
});
