import type { Fact, FactClient, QueryOf, RecallInput } from '../../../../../client/client.ts';
import { isList, narrowingOf } from '../../kit/narrowing.ts';
import type { Query } from '../../shell/address.ts';
import { FILTERS, SWITCHES } from './filter-names.ts';

const PAGE_FACTS = 100;
const FOUND_FACTS = 100;
const FOUND_TOKENS = 50_000;

/** A page of the filtered facts, newest first. Input is sent as typed, because the node checks it. */
export const listFacts = (client: FactClient, query: Query, cursor: string | undefined, signal: AbortSignal) =>
  client.call('GET /v1/facts', { query: { ...askedFor(query), limit: PAGE_FACTS, ...(cursor && { cursor }) }, signal });

/** The mark of a list of facts: it changes when a fact is added or ends. */
export const markOf = (total: number | undefined, newest: Pick<Fact, 'id'> | undefined): string =>
  `${total} ${newest?.id}`;

/** Asks for the mark of the filtered facts. */
export const probeFacts = async (client: FactClient, query: Query, signal: AbortSignal): Promise<string> => {
  const { total, facts } = await client.call('GET /v1/facts', {
    query: { ...askedFor(query), limit: 1, fields: 'id' },
    signal,
  });
  return markOf(total, facts[0]);
};

const askedFor = (query: Query): QueryOf<'GET /v1/facts'> => {
  const names = [...FILTERS, ...SWITCHES].filter((name) => !isList(name));
  const given = Object.fromEntries(names.map((name) => [name, query[name] || undefined]));
  return { ...given, ...narrowingOf(query), include_contradicted: true } as QueryOf<'GET /v1/facts'>;
};

/** The facts that a recall finds for words, best first, with the filters that a recall supports. */
export const findFacts = async (
  client: FactClient,
  words: string,
  query: Query,
  signal: AbortSignal,
): Promise<Fact[]> => {
  const { relation, entity, scope, garden_id: garden, min_confidence: least } = query;
  const asked: RecallInput = {
    query: words,
    token_budget: FOUND_TOKENS,
    limit: FOUND_FACTS,
    include_contradicted: true,
    scope: garden || scope || 'global',
    ...narrowingOf(query),
    ...(relation && { relation }),
    ...(entity && { entity }),
    ...(least && { min_confidence: confidenceOf(least) }),
  };
  const reply = await client.recall(asked, { signal });
  // A card stands for an entity and cannot be opened as a fact.
  return reply.facts.filter(({ from_card: isCard }) => !isCard).map(({ fact }) => fact);
};

/** Sends invalid input as typed, so that the node reports it. */
const confidenceOf = (text: string): number => {
  const number = Number(text);
  return Number.isNaN(number) ? (text as unknown as number) : number;
};
