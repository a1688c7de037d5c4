import { expect } from 'chai';
import { needsOf } from '../../bench/capacity/capacity-model.ts';
import { assumptions, capacityTable, hostText } from '../../bench/capacity.ts';
import { pageText } from '../documents/read-pages.ts';

describe('the guide to scale', () => {
  it('shows multiples of search in PostgreSQL that follow from the rows of its table', () => {
    const rows = pageText('docs/guides/scale.md')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const rowOf = (start: string): number[] =>
      (rows.find(([, name]) => name?.startsWith(start)) ?? []).slice(2, 5).map((cell) => Number(cell.replace(',', '')));
    const sumOf = (...starts: readonly string[]): number[] =>
      [0, 1, 2].map((at) => starts.reduce((sum, start) => sum + (rowOf(start)[at] as number), 0));
    const yardstick = sumOf('an exact scan', 'words');
    const multiples = (of: readonly number[]): string[] =>
      of.map((ms, at) => (ms / (yardstick[at] as number)).toFixed(1));
    const searches = sumOf('words', 'vectors', 'spread', 'neighbours in sessions');
    expect(rowOf('all four searches').map((one) => one.toFixed(1))).to.deep.equal(multiples(searches));
    const recalls = rowOf('a whole recall').slice(0, 2);
    expect(rowOf('the same, as').slice(0, 2).map(String)).to.deep.equal(multiples(recalls));
  });
});

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
