import { FactStore } from '../../../../ports/ports.ts';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../../../fakes/manual-clock.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { createStand, type IngestStand, standPlugin } from '../ingest-stand.ts';
import { type ScriptedPeer, startScriptedPeer } from './scripted-peer.ts';

export const INTERVAL_MS = 30_000;

/** A node that pulls facts from one scripted peer. */
export interface PullingNode {
  readonly clock: ManualClock;
  readonly network: LoopbackNetwork;
  readonly node: TestNode;
  readonly stand: IngestStand;
  readonly peer: ScriptedPeer;
  /** Returns the number of stored facts that came from peers. */
  count(): Promise<number>;
  /** Returns the rows of a table. */
  rows(table?: string): Promise<Record<string, unknown>[]>;
  /** Resolves when no pull is running or due. */
  settled(): Promise<void>;
  /** Advances the clock until a pull is due, and waits until the condition holds. */
  soon(holds: () => boolean | Promise<boolean>): Promise<void>;
  interval(): Promise<void>;
}

export const startPulling = async (settings: Record<string, unknown> = {}): Promise<PullingNode> => {
  const clock = createManualClock();
  const network = createLoopbackNetwork();
  const stand = createStand();
  const peer = await startScriptedPeer(network);
  stand.pulled = [peer.peering];
  const node = await startTestNode({
    clock,
    network,
    plugins: ['keys', 'audit', 'facts', 'conflicts', standPlugin(stand)],
    settings: { federation: { enabled: true, ...settings } },
  });
  const key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  const rows: PullingNode['rows'] = (table = 'federation_pulls') =>
    node.kernel.get(FactStore).read(async (snapshot) => snapshot.table(table));
  const settled = () =>
    comesTrue(async () => {
      const waits = (row: Record<string, unknown>): boolean =>
        Number(row['lease_until_ms']) === 0 && Number(row['due_ms']) > clock.nowMs();
      const found = await rows();
      return found.length > 0 && found.every(waits);
    });
  return {
    clock,
    network,
    node,
    stand,
    peer,
    rows,
    settled,
    count: async () => (await node.request('GET', '/v1/facts?source=agent:of-p&limit=1', { key })).body.total,
    async soon(holds) {
      await clock.advance(1_000);
      await comesTrue(async () => holds());
    },
    async interval() {
      await settled();
      await clock.advance(INTERVAL_MS + 1_000);
      await settled();
    },
  };
};
