import { expect } from 'chai';
import { ProgressLog } from '../../../kernel/internal-api.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger, type LogLine } from '../../fakes/memory-logger.ts';

const MESSAGE = 'pages are being read';

const openLog = (leastLeft?: number) => {
  const clock = createManualClock();
  const lines: LogLine[] = [];
  const parts = { log: createMemoryLogger(lines), clock, message: MESSAGE, fields: { book: 1 } };
  const progress = new ProgressLog(leastLeft === undefined ? parts : { ...parts, leastLeft });
  let asked = 0;
  const reached = (done: number, left: number) =>
    progress.reached(done, async () => {
      asked += 1;
      return left;
    });
  return { clock, lines, progress, reached, asked: () => asked };
};

describe('the progress log of long work', () => {
  it('shows every ten seconds the completed units, the total and the rate', async () => {
    const { clock, lines, reached } = openLog();
    for (let done = 100; done <= 900; done += 100) {
      await reached(done, 1_000 - done);
      await clock.advance(4_000);
    }
    expect(lines.map(({ level, message, fields }) => ({ level, message, ...fields }))).to.deep.equal([
      { level: 'info', message: MESSAGE, book: 1, done: 400, total: 1_000, ratePerSecond: 25 },
      { level: 'info', message: MESSAGE, book: 1, done: 700, total: 1_000, ratePerSecond: 25 },
    ]);
  });

  it('counts the remaining units only when it writes a line', async () => {
    const { clock, reached, asked } = openLog();
    for (let done = 0; done < 9; done += 1) {
      await reached(done, 5);
      await clock.advance(1_000);
    }
    expect(asked()).to.equal(0);
    await clock.advance(1_000);
    await reached(9, 5);
    expect(asked()).to.equal(1);
  });

  it('logs nothing for short work', async () => {
    const { clock, lines, reached } = openLog(10);
    await reached(0, 9);
    await clock.advance(10_000);
    await reached(1, 9);
    expect(lines).to.deep.equal([]);
    await clock.advance(10_000);
    await reached(2, 10);
    expect(lines).to.have.length(1);
  });

  it('measures anew for the next work', async () => {
    const { clock, lines, progress, reached } = openLog();
    await reached(500, 5);
    progress.ended();
    await clock.advance(60_000);
    await reached(0, 50);
    expect(lines).to.deep.equal([]);
    await clock.advance(10_000);
    await reached(20, 30);
    expect(lines.map(({ fields }) => fields)).to.deep.equal([{ book: 1, done: 20, total: 50, ratePerSecond: 2 }]);
  });
});
