import type { TestNode } from '../kit/start-test-node.ts';
import type { StoryKeys } from './old-store-story.ts';

/** A question to a node, and what it said. */
export interface Answer {
  readonly key: keyof StoryKeys;
  readonly target: string;
  readonly status: number;
  readonly body: unknown;
}

/** What a question is about: facts and entities of the story, gardens, and instants between. */
export interface Subjects {
  readonly facts: readonly { readonly id: string; readonly cid: string }[];
  readonly entities: readonly string[];
  readonly instants: readonly string[];
}

/** What is asked of a node. `{page}` stands for the parameter that leads to the next page, and is left out first. */
export const questionsAbout = ({ facts, entities, instants }: Subjects): string[] => {
  const spelled = entities.map(encodeURIComponent);
  const some = facts.filter((_, at) => at % 4 === 0);
  const [since = '', until = ''] = instants;
  return [
    // These come first: a card that is made for its reader is a fact.
    '/v1/auth/audit?limit=2&{page}',
    '/v1/auth/audit?event_type=fact_write&principal=agent:one&limit=3&{page}',
    '/v1/auth/audit?event_type=admin_action',
    `/v1/auth/audit?since=${since}&until=${until}&limit=3&{page}`,
    '/v1/admin/audit?principal=Agent:Two',
    '/v1/audit?limit=3&{page}',
    '/v1/audit?attested=true',
    '/v1/audit?attested=false&source=agent:one&limit=2&{page}',
    '/v1/audit?entity_uri=Agent:Two&limit=2&{page}',
    `/v1/audit?since=${since}&until=${until}&event_type=fact_write&limit=3&{page}`,
    '/v1/audit/export',
    '/v1/admin/billing/events?limit=3&{page}',
    '/v1/admin/billing/events?entity_uri=Agent:Two&event_type=fact_written',
    '/v1/admin/billing/events?event_type=garden_created',
    `/v1/admin/billing/events?since=${since}&until=${until}&limit=3&{page}`,
    '/v1/facts?limit=3&{page}',
    '/v1/facts?limit=100&include_expired=true&include_retracted=true&include_contradicted=true',
    ...['local', 'team', 'company', 'public'].map((scope) => `/v1/facts?scope=${scope}&limit=2&{page}`),
    ...['agent:one', 'agent:Two', 'AGENT:TWO'].map((source) => `/v1/facts?source=${source}&limit=5&{page}`),
    '/v1/facts?relation=memory:role&min_confidence=0.8&include_contradicted=true',
    `/v1/facts?after=${since}&limit=4&{page}`,
    '/v1/facts?garden_id=herbs',
    ...spelled.map((entity) => `/v1/facts?entity=${entity}&include_retracted=true&include_expired=true`),
    ...spelled.map((entity) => `/v1/graph/neighbors?entity=${entity}&depth=2`),
    ...some.flatMap(({ id, cid }) => [`/v1/facts/${id}`, `/v1/facts/${cid}`, `/v1/facts/${id}/provenance`]),
    ...some.map(({ id }) => `/v1/audit/facts/${id}`),
    '/v1/conflicts?status=all&limit=2&{page}',
    '/v1/gardens',
    '/v1/gardens/herbs',
    '/v1/recall?query=archivist%20bread&token_budget=2000',
    ...spelled.map((entity) => `/v1/cards/${entity}`),
  ];
};

/** Asks as an admin and as a member of a garden. Lists that have pages are followed to their end. */
export const askAll = async (node: TestNode, keys: StoryKeys, questions: readonly string[]): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (const target of questions) {
    for (const key of ['admin', 'two'] as const) answers.push({ key, target, ...(await ask(node, keys[key], target)) });
  }
  return answers;
};

/** Asks one question, as a caller with the key. */
export const ask = async (node: TestNode, key: string, target: string) => {
  const pages: unknown[] = [];
  let page = '';
  for (;;) {
    const reply = await node.request('GET', target.replace('{page}', page), { key });
    if (reply.status !== 200) return { status: reply.status, body: comparable(reply.body) };
    pages.push(comparable(reply.body ?? reply.text));
    const next: unknown = reply.body?.cursor ?? reply.body?.next_cursor;
    if (!target.includes('{page}') || next === null || next === undefined) {
      return { status: 200, body: INSTANTS_DESCEND.test(target) ? inOrder(pages) : pages };
    }
    page = `cursor=${encodeURIComponent(String(next))}`;
  }
};

/** Lists in which entries of one instant stand in the order of their ids, which are new for facts. */
const INSTANTS_DESCEND = /^\/v1\/audit(?:\?|\/export)/;

/** The entries of all pages in an order that does not depend on ids. */
const inOrder = (pages: readonly unknown[]): unknown[] =>
  pages
    .flatMap((page) =>
      // The first column of the file is the id.
      typeof page === 'string' ? page.split('\r\n').map((line) => line.slice(line.indexOf(',') + 1)) : entriesOf(page),
    )
    .map((entry) => JSON.stringify(entry))
    .sort();

const entriesOf = (page: unknown): unknown[] => {
  const { entries = [], ...rest } = page as { entries?: unknown[] };
  return [...entries, rest];
};

/** Without what is new in each answer, or made anew by the migration. */
const comparable = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(comparable);
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).flatMap(([name, value]) => {
    if (ANEW.has(name)) return [];
    // The id of an entry about a fact follows from its number now.
    if (name === 'id' && 'event_type' in body && body.event_type === 'fact_write') return [];
    return [[name, comparable(value)]];
  });
  return Object.fromEntries(members);
};

const ANEW: ReadonlySet<string> = new Set(['cursor', 'next_cursor', 'recall_id', 'request_id', 'age_seconds']);

/**
 * Of a recall what does not follow from how facts are ranked, which a new version may do better, nor from whether its
 * vectors have been made yet.
 */
export const withoutRanks = (target: string, answer: unknown): unknown =>
  target.startsWith('/v1/recall') ? unranked(answer) : answer;

const unranked = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(unranked).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).filter(([name]) => !OF_RANKING.has(name));
  return Object.fromEntries(members.map(([name, value]) => [name, unranked(value)]));
};

const OF_RANKING: ReadonlySet<string> = new Set(['score', 'score_breakdown', 'degraded']);
