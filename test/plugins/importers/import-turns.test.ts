import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { defineImportFormat, type ImportReader } from '../../../plugins/importers/importers-api.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const FACTS = 5_000;
/** The node looks at 200 facts first, to see whether the file has the format. */
const MOST_A_TURN = 300;

/** Counts the turns of the event loop. */
const countTurns = (): { readonly count: number; stop(): void } => {
  let count = 0;
  let isOver = false;
  const tick = (): void => {
    count += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    get count() {
      return count;
    },
    stop() {
      isOver = true;
    },
  };
};

describe('An import of one file with many equal facts', () => {
  for (const dry_run of [true, false]) {
    it(`lets other requests go on while it reads, ${dry_run ? 'in a trial' : 'and stores them'}`, async () => {
      const turns = countTurns();
      const read = new Map<number, number>();
      const reader: ImportReader = async function* () {
        for (let at = 0; at < FACTS; at += 1) {
          read.set(turns.count, (read.get(turns.count) ?? 0) + 1);
          yield {
            at: `line ${at}`,
            kind: 'line',
            entity: 'diary:x',
            relation: 'memory:x',
            value: { type: 'string', v: 'x' },
            source: 'diary',
            timestamp: undefined,
          };
        }
      };
      const extra = defineOwnPlugin({
        name: 'diaries',
        summary: 'declares a format',
        declares: [defineImportFormat('diary', { summary: 's', obtain: 'o', load: async () => reader })],
        setup: () => {},
      });
      const testNode = await startTestNode({ plugins: ['keys', 'facts', 'importers'], extra: [extra] });
      try {
        const key = await testNode.addKey();
        const content = Buffer.from('x').toString('base64');
        const body = { name: 'a.diary', content, format: 'diary', dry_run };
        read.clear();
        const { text } = await testNode.request('POST', '/v1/imports', { key, body });
        expect(text).to.contain(`${FACTS} items read = 1 `);
        expect(Math.max(...read.values())).to.be.at.most(MOST_A_TURN);
      } finally {
        turns.stop();
        await testNode.stop();
      }
    });
  }
});
