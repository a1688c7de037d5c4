import fc from 'fast-check';
import type { Scope } from '../../../kernel/plugin-api.ts';
import type { SearchView } from '../../../plugins/search/search-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { GARDEN_A, GARDEN_B, type Said, type SearchNode, text, textAt } from './search-node.ts';

const WORDS = [
  'river',
  'rivers',
  'stone',
  'walked',
  'May',
  '7th',
  'the',
  'Zoë',
  '東京',
  'oak',
  'oaks',
  'und',
  'Flüsse',
];
const ENTITIES = ['user:alice', 'user:bob'] as const;
const RELATIONS = ['memory:role', 'memory:note'] as const;
const SOURCES = ['agent:s', 'agent:s', 'tool:mail'] as const;
const AUTHORS = ['agent:writer', 'agent:other'] as const;
const GARDENS = [null, null, GARDEN_A, GARDEN_B] as const;
const FACTS = 60;

/** Time spans from the end of the corpus, in milliseconds. */
const ENDS_MS = 100_000;
const BEGINS_MS = 150_000;
/** The time that a fact mentions, and an earlier one. */
const TIMES = ['2020-05-01T00:00:00Z', '2019-05-01T00:00:00Z'] as const;
const [TURN_MS, EARLIER_MS] = TIMES.map((time) => Date.parse(time)) as [number, number];

/** Asserts facts of every kind, and ends some of them. */
export const sayCorpus = async (node: SearchNode): Promise<void> => {
  const random = createSeededRandom(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.fraction() * list.length)] as T;
  const at = (ms: number): string => new Date(node.nowMs + ms).toISOString();
  for (let n = 0; n < FACTS; n += 1) {
    const place = { entity: pick(ENTITIES), relation: pick(RELATIONS), scope: pick<Scope>(['company', 'team']) };
    const draft = { ...place, gardenId: pick(GARDENS), tenantId: pick(['default', 'default', 'default', 'another']) };
    const words = Array.from({ length: Math.floor(random.fraction() * 8) }, () => pick(WORDS));
    const vector = textAt(...Array.from({ length: 4 }, () => pick([1, 3, 5, 9])));
    await node.say({
      ...draft,
      value: text([...words, vector].join(' ')),
      confidence: pick([0.05, 0.4, 0.9, 1]),
      validFrom: pick([null, null, TIMES[1], at(BEGINS_MS)]),
      validUntil: pick([null, null, null, at(ENDS_MS)]),
      sessionId: pick([null, 'one', 'two']),
      source: pick(SOURCES),
      timestamp: pick([null, ...TIMES]),
      author: pick(AUTHORS),
    } satisfies Said);
    if (n % 20 === 19) await node.say({ ...draft, value: text('river'), confidence: 0 });
  }
};

export const queries = fc
  .array(fc.constantFrom(...WORDS, 'alice', 'note', 'lost'), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '));

/** The ways to narrow a view, by the names of its members. */
export const NARROWINGS: Readonly<Record<string, readonly Partial<SearchView>[]>> = {
  tenantId: [{ tenantId: 'another' }, { tenantId: 'unknown' }],
  scopes: [{ scopes: ['company'] }, { scopes: ['team'] }, { scopes: [] }],
  gardens: [{ gardens: [] }, { gardens: [GARDEN_A] }, { gardens: [GARDEN_A, GARDEN_B] }, { gardens: ['unknown'] }],
  onlyGarden: [{ onlyGarden: GARDEN_A }, { gardens: [GARDEN_B], onlyGarden: GARDEN_A }, { onlyGarden: 'unknown' }],
  minConfidence: [{ minConfidence: 0.1 }, { minConfidence: 0.6 }],
  entityKey: [{ entityKey: 'user:bob' }, { entityKey: 'user:nobody' }],
  relationKey: [{ relationKey: 'memory:role' }],
  entityKeys: [{ entityKeys: ['user:bob', 'user:nobody'] }, { entityKeys: [] }],
  relationKeys: [{ relationKeys: ['memory:role'] }, { relationKeys: ['memory:role', 'memory:note'] }],
  sourceKeys: [{ sourceKeys: ['tool:mail', 'tool:unknown'] }, { sourceKeys: ['memory:role'] }],
  sessionIds: [{ sessionIds: ['one'] }, { sessionIds: ['one', 'two'] }, { sessionIds: ['three'] }],
  assertedBy: [{ assertedBy: 'agent:other' }, { sessionIds: ['two'], assertedBy: 'agent:writer' }],
  afterMs: [{ afterMs: TURN_MS }, { afterMs: TURN_MS - 1 }, { afterMs: 2 * TURN_MS, sessionIds: ['one'] }],
  beforeMs: [{ beforeMs: TURN_MS }, { beforeMs: TURN_MS + 1 }, { afterMs: EARLIER_MS, beforeMs: 2 * TURN_MS }],
  excludedRelationKeys: [{ excludedRelationKeys: ['memory:role', 'memory:lost'] }],
  contested: [
    { contested: [{ scope: 'company', gardenId: null, entityKey: 'user:alice', relationKey: 'memory:note' }] },
    {
      contested: [
        { scope: 'team', gardenId: GARDEN_A, entityKey: 'user:bob', relationKey: 'memory:role' },
        { scope: 'company', gardenId: 'unknown', entityKey: 'user:bob', relationKey: 'memory:role' },
      ],
    },
  ],
};

/** Views narrowed in up to three ways, at the end of the corpus or later. */
export const narrowings = (node: () => SearchNode): fc.Arbitrary<() => SearchView> =>
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...Object.values(NARROWINGS)), { maxLength: 3 }),
      fc.nat(),
      fc.constantFrom(0, 0, ENDS_MS, 2 * BEGINS_MS),
    )
    .map(
      ([ways, nth, laterMs]) =>
        () =>
          node().view({
            ...Object.assign({}, ...ways.map((way) => way[nth % way.length])),
            nowMs: node().nowMs + laterMs,
          }),
    );
