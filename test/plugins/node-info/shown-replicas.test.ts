import { expect } from 'chai';
import type { ReadReplica } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { parseScrape } from '../metrics/scrape.ts';

const NEAR: ReadReplica = {
  address: 'postgres://db2:5432/facts',
  leftOut: null,
  lagBytes: 128,
  reads: 7,
  readsOnPrimary: 2,
};
const LOST: ReadReplica = {
  address: 'postgres://db3:5432/facts',
  leftOut: 'nothing listens there',
  lagBytes: null,
  reads: 0,
  readsOnPrimary: 5,
};

const described = async (node: TestNode) => {
  const key = await node.addKey({ permissions: ['admin'] });
  const { replicas } = (await node.request('GET', '/v1/node', { key })).body;
  const scraped = parseScrape((await node.request('GET', '/v1/metrics', { key })).text);
  const metrics = scraped.filter(({ name }) => name.startsWith('svc_store_replica_'));
  return { replicas, metrics };
};

forEachStore('a node', (kind) => {
  const replicaUrl = kind === 'postgres' ? process.env['SVC_TEST_REPLICA_URL'] : undefined;

  it('shows its operator the replicas that the store has, without their passwords', async () => {
    const node = await startTestNode();
    try {
      const { replicas, metrics } = await described(node);
      expect(replicas).to.have.length(replicaUrl ? 1 : 0);
      expect(new Set(metrics.map(({ name }) => name)).size).to.be.at.least(replicaUrl ? 2 : 0);
      if (!replicaUrl) return;
      const { host, password } = new URL(replicaUrl);
      expect(replicas[0].address).to.include(host);
      expect(replicas[0].reads + replicas[0].reads_on_primary).to.be.above(0);
      expect(JSON.stringify([replicas, metrics])).not.to.include(password);
    } finally {
      await node.stop();
    }
  });

  it('shows of each replica whether reads go to it, its lag, and who served the reads', async () => {
    const node = await startTestNode({
      wrapStore: (store) => Object.assign(store, { replicas: async () => [NEAR, LOST] }),
    });
    try {
      const { replicas, metrics } = await described(node);
      const [near, lost] = [{ replica: NEAR.address }, { replica: LOST.address }];
      expect(replicas).to.deep.equal([
        { address: NEAR.address, in_use: true, reason: null, lag_bytes: 128, reads: 7, reads_on_primary: 2 },
        { address: LOST.address, in_use: false, reason: LOST.leftOut, lag_bytes: null, reads: 0, reads_on_primary: 5 },
      ]);
      expect(metrics).to.have.deep.members([
        { name: 'svc_store_replica_in_use', labels: near, value: 1 },
        { name: 'svc_store_replica_in_use', labels: lost, value: 0 },
        { name: 'svc_store_replica_lag_bytes', labels: near, value: 128 },
        { name: 'svc_store_replica_reads', labels: { ...near, server: 'replica' }, value: 7 },
        { name: 'svc_store_replica_reads', labels: { ...near, server: 'primary' }, value: 2 },
        { name: 'svc_store_replica_reads', labels: { ...lost, server: 'replica' }, value: 0 },
        { name: 'svc_store_replica_reads', labels: { ...lost, server: 'primary' }, value: 5 },
      ]);
    } finally {
      await node.stop();
    }
  });

  it('hides the replicas from all others', async () => {
    const node = await startTestNode({ wrapStore: (store) => Object.assign(store, { replicas: async () => [NEAR] }) });
    try {
      const key = await node.addKey();
      for (const path of ['/v1/node', '/v1/metrics', '/healthz', '/readyz', '/.well-known/svc']) {
        const { text } = await node.request('GET', path, { key });
        expect(text, path).not.to.include('db2').and.not.to.include('replica');
      }
    } finally {
      await node.stop();
    }
  });
});
