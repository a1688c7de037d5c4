import { expect } from 'chai';
import { eachInTurn } from '../../../kernel/lists/each-in-turn.ts';
import { rejection } from '../../kit/rejection.ts';

describe('work for each item in turn', () => {
  it('goes on behind an item that fails, and rejects at the end with the first failure', async () => {
    const done: string[] = [];
    const work = async (item: string): Promise<void> => {
      done.push(`${item} begins`);
      await Promise.resolve();
      if (item !== 'b' && item !== 'c') done.push(`${item} ends`);
      else throw new Error(`${item} fails`);
    };
    expect(await rejection(eachInTurn(['a', 'b', 'c', 'd'], work))).to.include({ message: 'b fails' });
    expect(done).to.deep.equal(['a begins', 'a ends', 'b begins', 'c begins', 'd begins', 'd ends']);
  });

  it('takes items that come by and by', async () => {
    const done: number[] = [];
    const come = async function* () {
      for (let item = 1; item <= 3; item += 1) yield item;
    };
    const work = async (item: number): Promise<void> => {
      if (item === 1) throw new Error('the first fails');
      done.push(item);
    };
    expect(await rejection(eachInTurn(come(), work))).to.include({ message: 'the first fails' });
    expect(done).to.deep.equal([2, 3]);
  });
});
