import { expect } from 'chai';
import { spellList } from '../../../kernel/pages/spelled-list.ts';

/** Serialises the items, and returns how many are serialised in each turn of the event loop. */
const itemsOfTurns = async (items: readonly string[]): Promise<number[]> => {
  const turns = [0];
  let isOver = false;
  const tick = (): void => {
    turns.push(0);
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const list = await spellList(items, (item) => {
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    return item;
  });
  isOver = true;
  expect(list.count).to.equal(items.length);
  return turns.filter((count) => count > 0);
};

describe('the serialisation of a long list', () => {
  it('yields to other work after 50 items', async () => {
    const turns = await itemsOfTurns(new Array<string>(500).fill('x'));
    expect(Math.max(...turns)).to.be.at.most(51);
    expect(turns.length).to.be.at.least(10);
  });

  it('yields to other work after a mebibyte', async () => {
    const turns = await itemsOfTurns(new Array<string>(12).fill('x'.repeat(512 * 1024)));
    expect(Math.max(...turns)).to.be.at.most(3);
  });

  it('does not yield for a few items', async () => {
    expect(await itemsOfTurns(['a', 'b'])).to.deep.equal([2]);
  });
});
