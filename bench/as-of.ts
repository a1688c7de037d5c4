import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { NodeProcess } from './processes/start-node.ts';
import { loadFacts } from './recall/load-facts.ts';
import { questionWords, spell } from './recall/synthetic-facts.ts';
import { median } from './report/median.ts';
import { figure, printTable } from './report/print-table.ts';

export interface AsOfOptions {
  /** The number of facts in the store. The node has recorded half of them at the past moment that the queries name. */
  readonly facts: number;
  readonly store: BenchStore;
}

const ROUNDS = 8;
const PER_ROUND = 25;
const WARM_UP = 20;
/** The number of entities with facts and edges, in addition to the synthetic facts. */
const PEOPLE = 500;
const NOTES = 4;
const BATCH = 250;

type Ask = (n: number, asOf: string | undefined) => { readonly path: string; readonly body?: unknown };

const person = (n: number): string => `user:person${n % PEOPLE}`;
const moment = (asOf: string | undefined): string => (asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`);

const recalling =
  (members: Readonly<Record<string, unknown>>, facts: number): Ask =>
  (n, asOf) => ({
    path: '/v1/recall',
    body: { query: spell(questionWords(n, facts)), token_budget: 2_000, ...members, as_of: asOf },
  });

const asksOf = (facts: number): Readonly<Record<string, Ask>> => ({
  'facts of an entity': (n, asOf) => ({ path: `/v1/facts?entity=${person(n)}${moment(asOf)}` }),
  recall: recalling({}, facts),
  'recall, words alone': recalling({ weights: { lexical: 1 }, depth: 0 }, facts),
  'recall, vectors alone': recalling({ weights: { vector: 1 }, depth: 0 }, facts),
  'recall of an entity': (n, asOf) => ({
    path: '/v1/recall',
    body: { entity: person(n), relation: 'memory:note-1', token_budget: 2_000, as_of: asOf },
  }),
  // The node caches cards of the present. A card that it must rebuild is comparable with a card of the past.
  'card, made anew': (n, asOf) => ({
    path: `/v1/cards/${encodeURIComponent(person(n))}?scope=company&refresh=true${moment(asOf)}`,
  }),
  neighbours: (n, asOf) => ({ path: `/v1/graph/neighbors?entity=${person(n)}&depth=2${moment(asOf)}` }),
});

/** Compares queries about the present with queries about the moment when half of the store was written. */
export const benchAsOf = async ({ facts, store }: AsOfOptions): Promise<void> => {
  const place = await openPlace(store);
  const [node] = await place.startNodes();
  if (node === undefined) throw new Error('no node was started');
  try {
    await loadFacts(node, 0, facts / 2);
    await tellOfPeople(node, 1);
    const asOf = new Date().toISOString();
    await tellOfPeople(node, 0);
    await tellOfPeople(node, 0.9);
    await loadFacts(node, facts / 2, facts);
    const lines: string[][] = [];
    for (const [name, ask] of Object.entries(asksOf(facts))) lines.push(await compared(node, name, ask, asOf));
    printTable([`${store}, ${figure(facts)} facts`, 'now p50 ms', 'as of p50 ms', 'as of / now'], lines);
  } finally {
    await node.stop();
    await place.close();
  }
};

const compared = async (node: NodeProcess, name: string, ask: Ask, asOf: string): Promise<string[]> => {
  const times: Record<'now' | 'past', number[]> = { now: [], past: [] };
  for (let n = 0; n < WARM_UP; n += 1) for (const then of [undefined, asOf]) await timed(node, ask(n, then));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of ['now', 'past'] as const) {
      for (let at = 0; at < PER_ROUND; at += 1) {
        const n = WARM_UP + round * PER_ROUND + at;
        times[side].push(await timed(node, ask(n, side === 'past' ? asOf : undefined)));
      }
    }
  }
  const [now, past] = [median(times.now), median(times.past)];
  return [name, figure(now, 2), figure(past, 2), figure(past / now, 2)];
};

/** Asserts the same value about every person. A confidence of 0 retracts the earlier facts. */
const tellOfPeople = async (node: NodeProcess, confidence: number): Promise<void> => {
  const said = Array.from({ length: PEOPLE }, (_, n) => n).flatMap((n) => {
    const own = { entity: person(n), source: 'agent:bench', scope: 'company', confidence };
    const notes = Array.from({ length: NOTES }, (_, at) => ({
      ...own,
      relation: `memory:note-${at}`,
      value: { type: 'text', v: `note ${at} of person ${n}` },
    }));
    return [...notes, { ...own, relation: 'rel:knows', value: { type: 'ref', v: person(n * 7 + 1) } }];
  });
  for (let at = 0; at < said.length; at += BATCH) {
    await timed(node, { path: '/v1/facts/batch', body: said.slice(at, at + BATCH) });
  }
};

/** Returns the milliseconds until the whole answer has arrived. */
const timed = async (node: NodeProcess, { path, body }: ReturnType<Ask>): Promise<number> => {
  const began = performance.now();
  const reply = await fetch(`http://127.0.0.1:${node.port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${node.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${text.slice(0, 300)}`);
  return performance.now() - began;
};
