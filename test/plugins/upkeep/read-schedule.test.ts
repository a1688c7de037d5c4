import { expect } from 'chai';
import { readSchedule } from '../../../plugins/upkeep/read-schedule.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const MARCH = Date.UTC(2026, 2, 2, 9);
const instant = (ms: number | undefined): string => new Date(ms ?? Number.NaN).toISOString();

describe('A schedule of upkeep', () => {
  it('accepts an empty text, or tasks with cron patterns in UTC', () => {
    expect(readSchedule('')).to.deep.equal([]);
    expect(readSchedule(' ; ')).to.deep.equal([]);
    const read = readSchedule('lint 0 3 * * *; backup 30 2 * * SUN ;lint 0 15 * * *');
    expect(read.map(({ task, patterns }) => [task, ...patterns])).to.deep.equal([
      ['lint', '0 3 * * *', '0 15 * * *'],
      ['backup', '30 2 * * SUN'],
    ]);
    expect(read.map(({ nextAfter }) => instant(nextAfter(MARCH)))).to.deep.equal([
      '2026-03-02T15:00:00.000Z',
      '2026-03-08T02:30:00.000Z',
    ]);
  });

  it('ignores daylight saving time', () => {
    const [daily] = readSchedule('lint 30 2 * * *');
    let ms = Date.UTC(2026, 0, 1);
    for (let day = 0; day < 366; day += 1) {
      const next = daily?.nextAfter(ms) ?? 0;
      expect(instant(next)).to.match(/T02:30:00\.000Z$/);
      if (day > 0) expect(next - ms).to.equal(24 * 3_600_000);
      ms = next;
    }
  });

  it('returns times strictly after the given one, also within a minute', () => {
    const [task] = readSchedule('lint 0 9 * * *');
    expect(instant(task?.nextAfter(MARCH - 1))).to.equal(instant(MARCH));
    expect(instant(task?.nextAfter(MARCH))).to.equal('2026-03-03T09:00:00.000Z');
    expect(instant(task?.nextAfter(MARCH + 30_000))).to.equal('2026-03-03T09:00:00.000Z');
  });

  for (const text of [
    'lint',
    'lint 0 3 * *',
    'lint 0 3 * * * *',
    'lint 61 3 * * *',
    'lint a b c d e',
    'lint 0 0 30 2 *',
    'lint @daily',
    '0 3 * * *',
    'Lint 0 3 * * *',
    `${'lint 0 3 * * *;'.repeat(65)}`,
  ]) {
    it(`rejects ${JSON.stringify(text.slice(0, 30))} with a hint`, async () => {
      const error = await thrownError(() => readSchedule(text));
      expect(error).to.include({ code: 'validation' });
      expect(error).to.have.property('hint').that.contains('lint 0 3 * * *');
    });
  }
});
