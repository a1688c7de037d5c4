import { expect } from 'chai';
import { createFactJson } from '../../../kernel/facts/fact-json.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { madeFact } from '../../plugins/facts/made-facts.ts';

describe('the wire form of a fact', () => {
  const names = createServiceNames('acme');
  const self = { names, nodeId: 'n', nodeUrl: 'http://node.example:1', authority: 'node.example:1' };
  const inGarden = { fact: madeFact('a', [], { gardenId: 'g-1' }), contradicted: false, warnings: [] };

  it('names a garden by its URI where its slug is known, and by its identifier otherwise', () => {
    const factJson = createFactJson(self);
    expect(factJson({ ...inGarden, gardenSlug: 'herbs' })['garden_id']).to.equal('acme://node.example:1/garden/herbs');
    expect(factJson(inGarden)['garden_id']).to.equal('g-1');
    const outside = { ...inGarden, fact: madeFact('a', []) };
    expect(factJson(outside)['garden_id']).to.equal(null);
  });

  it('says where a fact stands in quarantine', () => {
    const held = createFactJson(self)({ ...inGarden, gardenSlug: 'herbs', quarantine: 'pending' });
    expect(held['quarantine_status']).to.equal('pending');
    expect(held['quarantine_garden_id']).to.equal('acme://node.example:1/garden/herbs');
    const free = createFactJson(self)({ ...inGarden, gardenSlug: 'herbs' });
    expect([free['quarantine_status'], free['quarantine_garden_id']]).to.deep.equal([null, null]);
  });

  it('keeps what others warn of, and adds its own for a relation without a namespace', () => {
    const view = { ...inGarden, fact: madeFact('a', [], { relation: 'role' }), warnings: ['unattested source'] };
    expect(createFactJson(self)(view)['warnings']).to.have.lengthOf(2).and.include('unattested source');
    const plain = createFactJson(self)({ ...view, fact: madeFact('a', []) });
    expect(plain['warnings']).to.deep.equal(['unattested source']);
  });
});
