import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';
import { startRelationsNode } from './relations-node.ts';

forEachStore('a relation rule that was set just before the node stopped', (kind) => {
  it('closes the affected conflicts after the next start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'relations-'));
    try {
      const first = await startRelationsNode({ folder });
      for (const entity of ['user:a', 'user:b', 'user:c']) {
        await first.say('tea', { entity });
        await first.say('jam', { entity });
      }
      await first.rule('memory:*', 'many');
      await first.stop();
      const next = await startRelationsNode({ folder, clock: first.clock, random: createSeededRandom(2) });
      try {
        expect(await next.shown()).to.deep.equal(['jam', 'tea']);
        await next.settled();
        expect(await next.conflicts('resolved')).to.have.length(3);
        await next.remove('memory:*');
        await next.settled();
        expect(await next.conflicts()).to.have.length(3);
        expect(await next.conflicts('all')).to.have.length(6);
      } finally {
        await next.stop();
      }
    } finally {
      await (await placeTestStore(kind, folder)).remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
