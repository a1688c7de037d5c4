import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { appendJudge, appendSettle, factAppended } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const FACTS = 400;
/** The maximum number of facts that the embedded store writes before other tasks run. */
const WRITTEN_AT_ONCE = 64;

/** Records how many turns of the event loop other tasks had at the start of each phase of an append. */
const createObserver = () => {
  const turnsAt: number[] = [];
  let turns = 0;
  let goesOn = true;
  const take = (): void => {
    turns += 1;
    if (goesOn) setImmediate(take);
  };
  const note = (): void => {
    turnsAt.push(turns);
  };
  const plugin = defineOwnPlugin({
    name: 'observer',
    setup: ({ on }) => {
      on(appendSettle, note);
      on(appendJudge, note);
      on(factAppended, note);
    },
  });
  const start = () => setImmediate(take);
  const stop = (): readonly number[] => {
    goesOn = false;
    return turnsAt.splice(0);
  };
  return { plugin, start, stop };
};

forEachStore('a batch of many facts', (store) => {
  let node: TestNode;
  let key: string;
  const observer = createObserver();
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', observer.plugin] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  it('is one transaction, and lets other work run between its steps', async () => {
    const body = Array.from({ length: FACTS }, (_, n) => ({
      entity: `user:u${n}`,
      relation: 'memory:number',
      value: { type: 'number', v: n },
      source: 'agent:s',
    }));
    observer.start();
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    const [settled, judged, appended, ...more] = observer.stop() as [number, number, number];
    expect(reply.body, reply.text.slice(0, 300)).to.include({ accepted: FACTS, rejected: 0 });
    expect(more, 'each phase is one step of one transaction').to.deep.equal([]);
    expect(judged).to.be.above(settled);
    // PostgreSQL writes in a few statements, and other tasks run while the node waits for it.
    const least = store === 'sqlite' ? Math.floor(FACTS / WRITTEN_AT_ONCE) : 1;
    expect(appended - judged).to.be.at.least(least);
  });
});
