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
});
