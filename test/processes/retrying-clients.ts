import { setTimeout as pause } from 'node:timers/promises';
import type { StoredState } from '../crash/stored-state.ts';
import type { NodeProcess, NodeReply } from '../kit/node-processes.ts';

const CLIENTS = 12;
/** Triples that all clients contradict one another about. */
const SHARED_TRIPLES = 5;
/** Clients are told to wait a second; these do not, so that more of what they do falls into the trouble. */
const BEFORE_RETRY_MS = 25;
const SHOWN_CHARACTERS = 300;

/** The replies to the clients until their end. */
export interface RetryHistory {
  /** Facts that were acknowledged, each under the key, which is its value too. */
  readonly acked: { readonly key: string; readonly id: string }[];
  /** Answers that no client should get from a node whose database or neighbour fails. */
  readonly unexpected: string[];
  /** How often the node could not store, by the code of its problem. */
  readonly problems: Map<string, number>;
  /** Requests that nobody answered, because their node was gone. */
  unanswered: number;
  /** Answers that repeat an earlier fact. */
  replayed: number;
}

/**
 * Clients that assert facts, each under an idempotency key and with a value of its own, and ask again, at the next
 * node, until they hear that the fact is stored. `nodes` tells which there are at the moment; without any left the
 * clients give up, as after a test that failed. After `isOver` every client finishes what it has begun.
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

/** Acknowledged facts that are not stored exactly once, and keys under which more than one fact is. */
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

/** Whether the answer is one that a client may get in trouble: a whole problem document that says when to ask again. */
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

/** Statuses by code. */
const FORESEEN: Readonly<Record<string, number>> = {
  unavailable: 503,
  commit_unknown: 503,
  idempotency_in_progress: 409,
};
