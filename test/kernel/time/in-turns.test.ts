import { expect } from 'chai';
import { inTurns } from '../../../kernel/time/in-turns.ts';

describe('a loop that yields to other work', () => {
  const orderOf = async (items: number, weight: number): Promise<string> => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    await inTurns(Array.from({ length: items }).fill(weight), () => order.push('item'), Number);
    return order.join(' ');
  };

  it('lets other work run between long items', async () => {
    expect(await orderOf(3, 700_000)).to.equal('item other item item');
  });

  it('processes several short items before it yields', async () => {
    expect(await orderOf(3, 10)).to.equal('item item item');
  });

  it('lets other work run between many items', async () => {
    const order = (await orderOf(120, 0)).split(' ');
    expect([order.length, order.indexOf('other')]).to.deep.equal([121, 50]);
  });
});
