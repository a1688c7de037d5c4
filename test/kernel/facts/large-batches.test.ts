import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Turns that others have besides those of a batch of one fact. */
const LEAST_TURNS = 15;

forEachStore('a batch of many facts', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  /** How often others had their turn until the batch was answered. */
  const turnsWhile = async (facts: number): Promise<number> => {
    let turns = 0;
    let goesOn = true;
    const take = (): void => {
      turns += 1;
      if (goesOn) setImmediate(take);
    };
    setImmediate(take);
    const body = Array.from({ length: facts }, (_, n) => ({
      entity: `user:u${n}`,
      relation: `memory:of_${facts}`,
      value: { type: 'number', v: n },
      source: 'agent:s',
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    goesOn = false;
    expect(reply.body, reply.text.slice(0, 300)).to.include({ accepted: facts, rejected: 0 });
    return turns;
  };

  it('is one transaction, and lets others have their turn between its steps', async () => {
    const few = await turnsWhile(1);
    expect(await turnsWhile(400)).to.be.at.least(few + LEAST_TURNS);
  });
});
