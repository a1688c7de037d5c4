import { count } from '../crash/crash-counts.ts';
import type { StoreKind } from '../kit/for-each-store.ts';

/** How long 16 writers write while somebody follows the feed. */
export const FOLLOWED_MS = count('SVC_TEST_FOLLOWED_MS', 2_500, 30_000);

/** Triples on which two processes contradict each other. */
export const RACES = count('SVC_TEST_RACES', 60, 200);

/** How often one of three processes is killed. */
export const KILLS_OF_THREE: Readonly<Record<StoreKind, number>> = {
  sqlite: count('SVC_TEST_KILLS_OF_THREE', 1, 30),
  postgres: count('SVC_TEST_KILLS_OF_THREE', 2, 100),
};

/** How often the database goes away, in each way. */
export const OUTAGES = count('SVC_TEST_OUTAGES', 1, 10);
export const OUTAGE_MS = count('SVC_TEST_OUTAGE_MS', 1_000, 10_000);

/** Facts that are acknowledged while sessions are ended. */
export const FACTS_UNDER_TERMINATION = count('SVC_TEST_FACTS_UNDER_TERMINATION', 120, 2_000);

/** How often sessions are ended at the least. */
export const TERMINATIONS = count('SVC_TEST_TERMINATIONS', 10, 150);

/** Times that processes start at once on an empty store. */
export const FIRST_STARTS = count('SVC_TEST_FIRST_STARTS', 2, 10);

/** Assertions that each of two processes gets at once. */
export const PARALLEL_ASSERTS = count('SVC_TEST_PARALLEL_ASSERTS', 150, 500);

/** How often a process is paused in the middle of a write. */
export const PAUSES = count('SVC_TEST_PAUSES', 1, 5);

/** Writes that were stored although their client heard that nobody knows. */
export const LOST_ANSWERS = count('SVC_TEST_LOST_ANSWERS', 10, 200);

/** Events that a hook gets from three processes. */
export const WEBHOOK_EVENTS = count('SVC_TEST_WEBHOOK_EVENTS', 100, 1_000);
