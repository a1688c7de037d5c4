import { expect } from 'chai';
import fc from 'fast-check';
import { backupName, startOfBackup } from '../../../plugins/backup/backup-folder.ts';
import { readRetention, retainedBackups } from '../../../plugins/backup/retained-backups.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const HOUR_MS = 3_600_000;
const nameAt = (ms: number): string => backupName(ms, '12345678-0000');
const newestFirst = (times: readonly number[]): string[] => [...new Set(times.map(nameAt))].sort().reverse();

describe('the backups that stay', () => {
  it('are the last ones of the given days, weeks and months, beside the newest', () => {
    // Two backups a day, for a year.
    const times = Array.from({ length: 730 }, (_, at) => Date.UTC(2026, 0, 1) + at * 12 * HOUR_MS);
    const kept = [...retainedBackups(newestFirst(times), readRetention(1, '7d 4w 12m'))].sort().reverse();
    const days = kept.map((name) => new Date(startOfBackup(name)).toISOString().slice(0, 13));
    expect(days).to.deep.equal([
      '2026-12-31T12',
      '2026-12-30T12',
      '2026-12-29T12',
      '2026-12-28T12',
      '2026-12-27T12',
      '2026-12-26T12',
      '2026-12-25T12',
      '2026-12-20T12',
      '2026-12-13T12',
      '2026-11-30T12',
      '2026-10-31T12',
      '2026-09-30T12',
      '2026-08-31T12',
      '2026-07-31T12',
      '2026-06-30T12',
      '2026-05-31T12',
      '2026-04-30T12',
      '2026-03-31T12',
      '2026-02-28T12',
      '2026-01-31T12',
    ]);
  });

  it('always contain the newest, are at most as many as asked for, and never lose one that stays later', () => {
    const counts = fc.record({ newest: fc.nat(5), days: fc.nat(9), weeks: fc.nat(5), months: fc.nat(5) });
    const hours = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(hours, counts, (list, retention) => {
        const names = newestFirst(list.map((hour) => hour * HOUR_MS));
        const kept = retainedBackups(names, retention);
        expect(kept.has(names[0] ?? '')).to.equal(true);
        const most = Math.max(1, retention.newest) + retention.days + retention.weeks + retention.months;
        expect(kept.size).to.be.at.most(Math.min(names.length, most));
        // A second run over the rest removes nothing more.
        expect([
          ...retainedBackups(
            names.filter((name) => kept.has(name)),
            retention,
          ),
        ]).to.have.members([...kept]);
      }),
      { numRuns: RUNS * 5 },
    );
  });

  it('read the periods in any order, and refuse other texts', () => {
    expect(readRetention(3, '')).to.deep.equal({ newest: 3, days: 0, weeks: 0, months: 0 });
    expect(readRetention(3, '12m 7d')).to.deep.equal({ newest: 3, days: 7, weeks: 0, months: 12 });
    for (const text of ['7', '7y', '7d 7d', 'd', '-1d', '7d,4w', '99999d']) {
      expect(
        thrownError(() => readRetention(1, text)),
        text,
      ).to.include({ code: 'validation' });
    }
  });
});
