import { expect } from 'chai';
import { needsOf } from '../../bench/capacity/capacity-model.ts';
import { assumptions, capacityTable, hostText } from '../../bench/capacity.ts';
import { pageText } from '../documents/read-pages.ts';

describe('the model of capacity', () => {
  it('gives the table and the assumptions that the page shows', async () => {
    const page = pageText('docs/concepts/scale.md');
    expect(page).to.contain(capacityTable());
    for (const text of [assumptions(), hostText()]) expect(page.replaceAll('\n', ' ')).to.contain(text);
  });

  it('needs ten times as much of each part for ten times the tenants of one size', () => {
    const [few, many] = [needsOf({ facts: 1e8, tenants: 1e4 }), needsOf({ facts: 1e9, tenants: 1e5 })];
    for (const [at, { part, share }] of many.entries()) {
      const times = part === 'writes of one tenant' ? 1 : 10;
      expect(share, part).to.be.closeTo(times * (few[at]?.share ?? 0), share / 1e6);
    }
  });
});
