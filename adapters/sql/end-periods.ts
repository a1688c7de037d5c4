import { DEFAULT_TENANT, type EndedPeriods } from '../../ports/ports.ts';
import { changeKeys, type SealedEngine } from './change-keys.ts';
import { periodBeganMs, settingOf, versionOf } from './seal-version.ts';
import type { SqlSession } from './sql-engine.ts';
import { identifier } from './sql-identifier.ts';

/**
 * Begins the next period if the present one has lasted long enough, and destroys the keys of earlier ones that no row
 * needs. The key of the period before stays in any case: processes that have not read of the next one still seal with
 * it. The clock decides only when this happens. Returns sentences about copies of the keys that stay.
 */
export const endPeriods = async (
  store: SealedEngine,
  { tables, everyMs }: EndedPeriods,
): Promise<readonly string[]> => {
  const isDueNow = await store.engine.read(async (session) => isDue(await stateOf(store, session), everyMs));
  if (!isDueNow) return [];
  let hasChanged = false;
  await store.engine.write(store.lockOf(DEFAULT_TENANT), (session) =>
    changeKeys(store, session, async (setting) => {
      // Another process may have begun the period meanwhile, and the row of the setting is locked only now.
      const state = { setting, nowMs: await nowOf(store, session) };
      hasChanged = isDue(state, everyMs) && periodBeganMs(setting) !== null;
      if (!isDue(state, everyMs)) return {};
      if (hasChanged) await store.seal.endPeriods(await firstPeriods(store, session, tables), versionOf(setting));
      return { period_began_ms: state.nowMs };
    }),
  );
  return hasChanged ? store.seal.replaceCopies() : [];
};

interface PeriodState {
  readonly setting: string | null;
  readonly nowMs: number;
}

const stateOf = async (store: SealedEngine, session: SqlSession): Promise<PeriodState> => ({
  setting: await settingOf(session),
  nowMs: await nowOf(store, session),
});

const nowOf = async ({ engine }: SealedEngine, session: SqlSession): Promise<number> => {
  const [row] = await session.rows(engine.dialect.queries.nowMs, []);
  return Number(row?.[0]);
};

/** A clock that was set back far makes a period begin early, because it would otherwise last too long. */
const isDue = ({ setting, nowMs }: PeriodState, everyMs: number): boolean => {
  const beganMs = periodBeganMs(setting);
  return beganMs === null || Math.abs(nowMs - beganMs) >= everyMs;
};

/** Returns the first period of which each table needs the key. A row without a period needs all of them. */
const firstPeriods = async (
  { seal }: SealedEngine,
  session: SqlSession,
  tables: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const firsts = new Map<string, number>();
  for (const table of tables) {
    const name = identifier(table);
    const [row] = await session.rows(
      `SELECT (SELECT 0 FROM ${name} WHERE period IS NULL LIMIT 1), (SELECT min(period) FROM ${name})`,
      [],
    );
    firsts.set(table, Math.min(seal.period, Number(row?.[0] ?? row?.[1] ?? seal.period)));
  }
  return firsts;
};
