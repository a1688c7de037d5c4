import type { StoreKind } from '../kit/for-each-store.ts';

const IS_LONG = process.env['SVC_TEST_LONG'] === '1';

/** How often something is tried: what the variable says, or else what suits the run. */
export const count = (variable: string, usual: number, long: number): number =>
  Number(process.env[variable] ?? (IS_LONG ? long : usual));

/** How often the node is killed while it writes. */
export const KILLS: Readonly<Record<StoreKind, number>> = {
  sqlite: count('SVC_TEST_KILLS', 6, 300),
  postgres: count('SVC_TEST_KILLS', 3, 200),
};

/** Copies taken of a store while it is written, half of them with a torn log. */
export const CRASH_IMAGES = count('SVC_TEST_CRASH_IMAGES', 40, 5_000);

/** Kinds of store failure tried for each call: one, chosen by turns, or every one. */
export const ALL_FAULT_KINDS = IS_LONG;

/** Names a run, so that a failed one can be repeated. */
export const SEED = Number(process.env['SVC_TEST_SEED'] ?? Date.now() % 1_000_000);
