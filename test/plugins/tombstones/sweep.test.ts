import { expect } from 'chai';
import { sweepHiddenFacts } from '../../kit/sweep/sweep-hidden-facts.ts';
import { startGardenNode } from '../gardens/garden-kit.ts';
import { hideByTombstones } from './hidden-kinds.ts';

sweepHiddenFacts('fifty facts of every kind behind tombstones', {
  start: () => startGardenNode({ settings: { tombstones: { enabled: true } } }),
  hide: hideByTombstones,
  async hideMore(garden) {
    await garden.say('writer', { entity: 'user:hidden', relation: 'memory:note' });
  },
  async areThere(garden) {
    const total = async () => (await garden.must(200, 'reader', 'GET', '/v1/facts?entity=user:hidden')).body.total;
    expect(await total()).to.equal(0);
    const { body } = await garden.must(200, 'operator', 'GET', '/v1/tombstones/user:hidden');
    const [{ id }] = body.tombstones;
    await garden.must(200, 'operator', 'POST', `/v1/tombstones/${id}/revoke`, { reason: 'to see' });
    expect(await total()).to.be.above(15);
  },
});
