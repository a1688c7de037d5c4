import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { createFaultingStore, FAULT_KINDS, FaultPlan } from '../../../fakes/faulting-store.ts';
import { createLoopbackNetwork } from '../../../fakes/loopback-network.ts';
import { createManualClock } from '../../../fakes/manual-clock.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { startTestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';
import { createStand, peerFact, standPlugin } from '../ingest-stand.ts';
import { reply, startScriptedPeer } from './scripted-peer.ts';

describe('pulls by several processes on one store', () => {
  const clock = createManualClock();
  const open = async (options: TestNodeOptions, pulled: Parameters<typeof createStand>[0]) => {
    const stand = createStand(pulled);
    const node = await startTestNode({
      clock,
      plugins: ['keys', 'facts', standPlugin(stand)],
      settings: { federation: { enabled: true } },
      ...options,
    });
    const key = await node.addKey();
    const count = async (): Promise<number> =>
      (await node.request('GET', '/v1/facts?source=agent:of-p&limit=1', { key })).body.total;
    const rows = (): Promise<Record<string, unknown>[]> =>
      node.kernel.get(FactStore).read(async (snapshot) => snapshot.table('federation_pulls'));
    return { node, stand, count, rows };
  };

  it('refuse the results of a process whose lease expired while it was suspended', async () => {
    const network = createLoopbackNetwork();
    const folder = await mkdtemp(join(tmpdir(), 'shared-pulls-'));
    const peer = await startScriptedPeer(network);
    peer.feed.push(peerFact(1));
    let wake = (): void => {};
    peer.answer = (seen) => {
      const page = peer.page(seen);
      return new Promise((resolve) => {
        wake = () => resolve(reply({ ...page, facts: [peerFact(7)], cursor: '1005.0' }));
      });
    };
    const first = await open({ network, folder, url: 'https://one.test' }, [peer.peering]);
    await clock.advance(1_000);
    await comesTrue(async () => peer.pulls.length === 1);
    const sleeper = wake;
    peer.answer = (seen) => reply(peer.page(seen));
    const second = await open({ network, folder, url: 'https://two.test' }, [peer.peering]);
    await clock.advance(5_000);
    expect(peer.pulls, 'a claim keeps others out').to.have.lengthOf(1);
    // Expires the claim, as if a minute had passed on the store's own clock.
    await second.node.kernel
      .get(FactStore)
      .write('default', async (transaction) => transaction.table('federation_pulls').update({ lease_until_ms: 0 }));
    await clock.advance(2_000);
    await comesTrue(async () => (await second.count()) === 1);
    sleeper();
    await comesTrue(async () => Number((await first.rows())[0]?.['lease_until_ms']) === 0);
    await clock.advance(1_000);
    expect(await first.count(), 'what the sleeper brought is not stored').to.equal(1);
    const [row] = await first.rows();
    expect([row?.['cursor'], Number(row?.['failures'])]).to.deep.equal(['1000.0', 0]);
    await first.node.stop();
    await second.node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lose no fact and repeat none when any call to the store fails', async () => {
    const network = createLoopbackNetwork();
    const peer = await startScriptedPeer(network);
    const plan = new FaultPlan();
    const { node, count, rows } = await open({ network, wrapStore: (store) => createFaultingStore(store, plan) }, [
      peer.peering,
    ]);
    const factsBefore = (cursor: unknown): number => (cursor == null ? 0 : Number.parseInt(`${cursor}`, 10) - 999);
    const settled = () =>
      comesTrue(async () => {
        const [row] = await rows();
        return row !== undefined && Number(row['due_ms']) > clock.nowMs() && Number(row['lease_until_ms']) === 0;
      });
    // The order of the calls decides which of them a number hits, so each number gets a failure of each kind.
    const faults = FAULT_KINDS.flatMap((kind) => Array.from({ length: 30 }, (_, at) => ({ kind, call: at + 1 })));
    for (const [at, { kind, call }] of faults.entries()) {
      peer.feed.push(peerFact(at * 2 + 2), peerFact(at * 2 + 3));
      plan.arm(call, kind);
      await comesTrue(async () => {
        await clock.advance(31_000);
        if (plan.fired) plan.disarm();
        // Expires a claim that the failed call could not release.
        await node.kernel
          .get(FactStore)
          .write('default', async (transaction) => transaction.table('federation_pulls').update({ lease_until_ms: 0 }))
          .catch(() => {});
        const [row] = await rows().catch(() => []);
        const stored = await count().catch(() => undefined);
        if (stored !== undefined) {
          expect(stored, 'facts before the cursor are stored').to.be.at.least(factsBefore(row?.['cursor']));
        }
        return stored === peer.feed.length;
      });
      plan.disarm();
    }
    await settled();
    expect((await rows())[0]?.['cursor']).to.equal(`${1_000 + peer.feed.length - 1}.0`);
    await node.stop();
  });
});
