import { count } from '../crash/crash-counts.ts';
import type { StoreKind } from '../kit/for-each-store.ts';

/** The duration in milliseconds for which 16 writers write while a reader follows the feed. */
export const FOLLOWED_MS = count('SVC_TEST_FOLLOWED_MS', 2_500, 30_000);

/** The number of triples on which two processes contradict each other. */
export const RACES = count('SVC_TEST_RACES', 60, 200);

/** The number of times that one of three processes is killed. */
export const KILLS_OF_THREE: Readonly<Record<StoreKind, number>> = {
  sqlite: count('SVC_TEST_KILLS_OF_THREE', 1, 30),
  postgres: count('SVC_TEST_KILLS_OF_THREE', 2, 100),
};

/** The number of database outages of each kind. */
export const OUTAGES = count('SVC_TEST_OUTAGES', 1, 10);
export const OUTAGE_MS = count('SVC_TEST_OUTAGE_MS', 1_000, 10_000);

/** The number of facts that are acknowledged while sessions are terminated. */
export const FACTS_UNDER_TERMINATION = count('SVC_TEST_FACTS_UNDER_TERMINATION', 120, 2_000);

/** The number of times that all sessions are terminated, spread evenly over those facts. */
export const TERMINATIONS = count('SVC_TEST_TERMINATIONS', 10, 150);

/** The number of concurrent first starts on an empty store. */
export const FIRST_STARTS = count('SVC_TEST_FIRST_STARTS', 2, 10);

/** The number of concurrent assertions to each of two processes. */
export const PARALLEL_ASSERTS = count('SVC_TEST_PARALLEL_ASSERTS', 150, 500);

/** The number of times that a process is suspended in the middle of a write. */
export const PAUSES = count('SVC_TEST_PAUSES', 1, 5);

/** The number of writes that were stored although their client got the reply that the outcome is unknown. */
export const LOST_ANSWERS = count('SVC_TEST_LOST_ANSWERS', 10, 200);

/** The number of events that a webhook receives from three processes. */
export const WEBHOOK_EVENTS = count('SVC_TEST_WEBHOOK_EVENTS', 100, 1_000);

/** The number of processes that are replaced one after another, and of requests meanwhile. */
export const ROLLED_PROCESSES = count('SVC_TEST_ROLLED_PROCESSES', 1, 3);
export const ROLLED_REQUESTS = count('SVC_TEST_ROLLED_REQUESTS', 200, 2_000);

/** The number of facts that clients store before, during and after an upgrade, each. */
export const UPGRADED_FACTS = count('SVC_TEST_UPGRADED_FACTS', 60, 3_000);

/** The number of facts of each side of a partition between federated processes. */
export const FEDERATED_FACTS = count('SVC_TEST_FEDERATED_FACTS', 300, 1_000);

/** The minimum number of facts that are recalled at once while thousands are loaded. */
export const RECALLS_UNDER_LOAD = count('SVC_TEST_RECALLS_UNDER_LOAD', 6, 12);
