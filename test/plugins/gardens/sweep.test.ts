import { expect } from 'chai';
import { sweepHiddenFacts } from '../../kit/sweep/sweep-hidden-facts.ts';
import { type GardenNode, startGardenNode } from './garden-kit.ts';
import { hideFacts } from './hidden-kinds.ts';

sweepHiddenFacts<GardenNode>('fifty facts of every kind in a garden', {
  start: () => startGardenNode(),
  hide: hideFacts,
  async hideMore(garden) {
    await garden.say('writer', { garden_id: 'herbs', entity: 'user:carol', relation: 'memory:note' });
  },
  askAsInsider: (garden, method, target, options) => garden.ask('reader', method, target, options),
  async areThere(garden) {
    const { body } = await garden.must(200, 'reader', 'GET', '/v1/facts?garden_id=herbs&limit=500');
    expect(body.total).to.be.above(20);
  },
});
