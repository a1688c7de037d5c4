import { setTimeout as pause } from 'node:timers/promises';
import type { StoredState } from '../crash/stored-state.ts';
import type { NodeProcess, NodeReply } from '../kit/node-processes.ts';

const CLIENTS = 12;
/** The number of triples on which all clients contradict one another. */
const SHARED_TRIPLES = 5;
/** The pause before a retry. Clients should wait a second, but a shorter pause makes more requests meet the failure. */
const BEFORE_RETRY_MS = 25;
const SHOWN_CHARACTERS = 300;

/** The replies that the clients received. */
export interface RetryHistory {
  /** Acknowledged facts, each with its idempotency key, which is also its value. */
  readonly acked: { readonly key: string; readonly id: string }[];
  /** Answers that a node must not give, even if its database or neighbour fails. */
  readonly unexpected: string[];
  /** The number of failures to store, by problem code. */
  readonly problems: Map<string, number>;
  /** The number of requests without an answer, because their node was down. */
  unanswered: number;
  /** The number of answers that repeat an earlier fact. */
  replayed: number;
}

/**
 * Runs clients that assert facts, each with its own idempotency key and value, and retry at the next of `nodes` until
 * the fact is stored. Without nodes the clients give up. After `isOver`, every client completes its current fact.
 */
export const runRetryingClients = async (
  nodes: () => readonly NodeProcess[],
  label: string,
  history: RetryHistory,
  isOver: () => boolean,
): Promise<void> => {
  const client = async (at: number): Promise<void> => {
    for (let n = 0; !isOver() && nodes().length > 0; n += 1)
      await assertUntilStored(nodes, at, `${label}-${at}-${n}`, n, history);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
};

export const newRetryHistory = (): RetryHistory => ({
  acked: [],
  unexpected: [],
  problems: new Map(),
  unanswered: 0,
  replayed: 0,
});

/** Returns acknowledged facts that are not stored exactly once, and keys with more than one fact. */
export const keyProblems = (history: RetryHistory, state: StoredState): string[] => {
  const byKey = new Map<string, string[]>();
  for (const { v, id, isSystem } of state.facts) if (!isSystem) byKey.set(v, [...(byKey.get(v) ?? []), id]);
  const problems = [...byKey].filter(([, ids]) => ids.length > 1).map(([key]) => `the key ${key} has several facts`);
  for (const { key, id } of history.acked) {
    const ids = byKey.get(key) ?? [];
    if (!ids.includes(id)) problems.push(`the fact acknowledged for ${key} is not there`);
  }
  const acked = new Set(history.acked.map(({ key }) => key));
  const silent = [...byKey.keys()].filter((key) => !acked.has(key));
  return [...problems, ...silent.map((key) => `the key ${key} has a fact, though its client never heard of it`)];
};

const assertUntilStored = async (
  nodes: () => readonly NodeProcess[],
  client: number,
  key: string,
  n: number,
  history: RetryHistory,
): Promise<void> => {
  const assertion = {
    entity: n % 3 === 0 ? `shared:${n % SHARED_TRIPLES}` : `own:${key}`,
    relation: 'memory:note',
    value: { type: 'string', v: key },
    source: 'agent:retrying',
    scope: 'company',
    confidence: 0.9,
  };
  for (let attempt = 0; ; attempt += 1) {
    const candidates = nodes();
    const node = candidates[(client + attempt) % candidates.length];
    if (node === undefined) return;
    const reply = await node.request('POST', '/v1/facts', assertion, { 'Idempotency-Key': key }).catch(() => undefined);
    if (reply === undefined) {
      history.unanswered += 1;
    } else if (reply.status === 201) {
      history.acked.push({ key, id: reply.body.id });
      if (reply.headers['idempotency-replayed'] === 'true') history.replayed += 1;
      return;
    } else if (!mayAskAgain(reply, history)) {
      return;
    }
    await pause(BEFORE_RETRY_MS);
  }
};

/**
 * Returns whether clients may get this answer during a failure: a complete problem document that says when to retry.
 */
const mayAskAgain = ({ status, headers, body }: NodeReply, history: RetryHistory): boolean => {
  const code = String(body?.code);
  history.problems.set(code, (history.problems.get(code) ?? 0) + 1);
  const isForeseen = FORESEEN[code] === status;
  const isWhole =
    headers['content-type'] === 'application/problem+json' && /^[1-9][0-9]*$/.test(headers['retry-after'] ?? '');
  if (!isForeseen || !isWhole || typeof body.detail !== 'string') {
    history.unexpected.push(`${status} ${JSON.stringify({ headers, body }).slice(0, SHOWN_CHARACTERS)}`);
  }
  return isForeseen;
};

/** Expected statuses by problem code. */
const FORESEEN: Readonly<Record<string, number>> = {
  unavailable: 503,
  commit_unknown: 503,
  idempotency_in_progress: 409,
};
