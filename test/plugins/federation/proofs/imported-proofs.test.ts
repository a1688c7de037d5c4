import { expect } from 'chai';
import { createWorld, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, drain, has, peerUp, pullUntil, push } from '../../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../../kit/federation/test-peer.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { exportLines, importAll } from '../../transfer/transfer-node.ts';

forEachStore('proofs that an import brings after their facts', () => {
  it('reach the peers that refused these facts without them, once', async () => {
    const world = createWorld();
    const origin = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'origin.test' });
    const start = (name: string) => startFederatedNode({ name, ...world });
    const [from, to, reader] = [await start('from'), await start('to'), await start('reader')];
    try {
      await declareBoth(from, origin);
      await declareBoth(reader, origin);
      await peerUp(to, reader);
      const fact = origin.fact();
      expect((await push(from, origin, [fact])).body.accepted).to.equal(1);
      const last = await from.say();
      const [header = '', ...lines] = await exportLines(from);
      const isFact = (line: string): boolean => JSON.parse(line).type === 'fact';
      await importAll(to, [header, ...lines.filter(isFact)]);
      await pullUntil(reader, () => has(reader, last.id));
      expect(await has(reader, fact.id)).to.equal(false);

      const { cursors } = await drain(to, reader.identity);
      await importAll(to, [header, ...lines]);
      const later = await drain(to, reader.identity, { from: cursors.at(-1) ?? '' });
      expect(later.facts.map(({ id, origin_proof }) => ({ id, origin_proof }))).to.deep.equal([
        { id: fact.id, origin_proof: fact.origin_proof },
      ]);
      await pullUntil(reader, () => has(reader, fact.id));
      await importAll(to, [header, ...lines]);
      expect((await drain(to, reader.identity, { from: later.cursors.at(-1) ?? '' })).facts).to.deep.equal([]);
    } finally {
      for (const each of [from, to, reader, origin]) await each.stop();
    }
  });
});
