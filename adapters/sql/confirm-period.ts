import { type ContentSeal, ServiceError } from '../../ports/ports.ts';
import { refreshTo, settingOf } from './seal-version.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

/**
 * Makes sure, at the end of a transaction that has sealed with keys of a period, that they are there after its commit.
 * The row with the oldest period decides which keys are destroyed, and nobody sees a row before its commit.
 */
export const confirmPeriod = async (
  period: number,
  {
    session,
    dialect,
    seal,
  }: { readonly session: SqlSession; readonly dialect: SqlDialect; readonly seal: ContentSeal },
): Promise<void> => {
  const lock = dialect.forUpdateOf('s');
  // Without row locks (SQLite) only one write runs at a time, so no period begins during it.
  if (lock === '') return;
  await refreshTo(seal, await settingOf(session));
  if (seal.period === period) return;
  // The key of the period before the present one stays, and no later period begins before the lock ends.
  await refreshTo(seal, await settingOf(session, lock));
  if (seal.period > period + 1) {
    throw new ServiceError('unavailable', 'the write lasted so long that the keys of its content may be gone', {
      hint: 'nothing was written: send it again',
    });
  }
};
