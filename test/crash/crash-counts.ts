import type { StoreKind } from '../kit/for-each-store.ts';

const IS_LONG = process.env['SVC_TEST_LONG'] === '1';

/** Returns a number of repetitions: the value of the variable, or else a default for the kind of run. */
export const count = (variable: string, usual: number, long: number): number =>
  Number(process.env[variable] ?? (IS_LONG ? long : usual));

/** The number of times that the node is killed while it writes. */
export const KILLS: Readonly<Record<StoreKind, number>> = {
  sqlite: count('SVC_TEST_KILLS', 6, 300),
  postgres: count('SVC_TEST_KILLS', 3, 200),
};

/** The number of copies of a store under load, half of them with a truncated log. */
export const CRASH_IMAGES = count('SVC_TEST_CRASH_IMAGES', 40, 5_000);

/** Whether each call is tested with every kind of store failure, instead of one kind in turn. */
export const ALL_FAULT_KINDS = IS_LONG;

/** The seed of a run, with which a failed run can be repeated. */
export const SEED = Number(process.env['SVC_TEST_SEED'] ?? Date.now() % 1_000_000);
