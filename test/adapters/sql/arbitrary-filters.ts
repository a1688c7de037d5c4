import fc from 'fast-check';
import type { ColumnCondition, ColumnMatch, FactField, Filter, Hlc, Scope, StoredFact } from '../../../ports/ports.ts';
import { sampleFact } from '../../kit/fact-samples.ts';

/** Generators of facts and filters with few distinct values, so that conditions hold about half of the time. */

const TEXTS = ['a', 'A', '', 'b-😀', '\uFFFD', '1'] as const;
const NUMBERS = [0, 1, 2, 0.5, 1e-300] as const;
const stamp: fc.Arbitrary<Hlc> = fc.record({
  wallMs: fc.constantFrom(0, 1, 2),
  counter: fc.constantFrom(0, 9, 10),
});
const text = fc.constantFrom(...TEXTS);
const maybeText = fc.option(fc.constantFrom(...TEXTS));
const scope = fc.constantFrom<Scope>('local', 'public');

const members: fc.Arbitrary<Partial<StoredFact>> = fc.record<Partial<StoredFact>>({
  tenantId: text,
  entityKey: text,
  relationKey: text,
  sourceKey: text,
  valueKey: text,
  scope,
  gardenId: maybeText,
  cid: text,
  confidence: fc.constantFrom(...NUMBERS),
  timestampMs: fc.constantFrom(0, 1, 2),
  validFromMs: fc.option(fc.constantFrom(0, 1, 2)),
  validUntilMs: fc.option(fc.constantFrom(0, 1, 2)),
  hlc: stamp,
  system: fc.boolean(),
  value: fc
    .constantFrom('content' as const, 'instruction' as const)
    .map((interpretAs) => ({ type: 'null' as const, v: null, interpretAs })),
  sessionId: maybeText,
  assertedBy: maybeText,
  receivedFrom: maybeText,
  originNodeId: maybeText,
  speaker: maybeText,
  originId: maybeText,
});

/** Generates facts with ids and feed stamps of their own. */
export const arbitraryFacts = (howMany: number): fc.Arbitrary<StoredFact[]> =>
  fc
    .array(members, { minLength: howMany, maxLength: howMany })
    .map((all) =>
      all.map((made, n) => sampleFact(n, { ...made, feed: { wallMs: Math.floor(n / 20), counter: n % 20 } })),
    );

const FIELDS: Readonly<Record<'text' | 'number' | 'stamp', readonly FactField[]>> = {
  text: [
    'id',
    'tenantId',
    'entityKey',
    'relationKey',
    'sourceKey',
    'valueKey',
    'scope',
    'gardenId',
    'place',
    'cid',
    'interpretAs',
    'sessionId',
    'assertedBy',
    'receivedFrom',
    'originNodeId',
    'speaker',
    'originId',
  ],
  number: ['confidence', 'timestampMs', 'validFromMs', 'validUntilMs', 'system'],
  stamp: ['hlc', 'feed'],
};
const anyField = fc.constantFrom(...Object.values(FIELDS).flat());

/** Generates values of every kind for every field: valid ones, invalid ones, and ones that no store can hold. */
const anyValue = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string | number | boolean>(...TEXTS, ...NUMBERS, true, false, 'local') },
  { weight: 1, arbitrary: fc.constantFrom('instruction', 'a\u0000', '\ud83d', '00000000-0000-4000-8000-000000000007') },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, -1) },
);
const prefix = fc.constantFrom('', '\u{10ffff}', 'a', 'b-', 'b-😀', 'b-😀c', 'loc', '1', 'a\u0000', '\ud83d');
const anyList = fc.oneof(fc.array(anyValue, { maxLength: 4 }), fc.array(anyValue, { minLength: 9, maxLength: 30 }));
const anyBound = fc.oneof(
  fc.constantFrom<number>(...NUMBERS, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  stamp,
);

/** The tables that the test fills, and the columns of each that a filter may join. */
const JOINED_COLUMNS: Readonly<Record<string, Readonly<Record<string, 'text' | 'number' | 'stamp'>>>> = {
  facts: {
    id: 'text',
    entity_key: 'text',
    scope: 'text',
    garden_id: 'text',
    place: 'text',
    session_id: 'text',
    confidence: 'number',
    valid_until_ms: 'number',
    system: 'number',
    hlc: 'stamp',
    feed: 'stamp',
  },
  fact_covers: { fact_id: 'text', entity_key: 'text', place: 'text', kind: 'text', hlc: 'stamp' },
  fact_named_covers: { fact_id: 'text', named_id: 'text', named_origin: 'text', is_own: 'number', hlc: 'stamp' },
  fact_expiries: { fact_id: 'text', expires_ms: 'number', hlc: 'stamp' },
  fact_past_expiries: { fact_id: 'text', expires_ms: 'number', since: 'stamp', until: 'stamp' },
};

const latest = (table: string) => {
  const stamps = Object.entries(JOINED_COLUMNS[table] ?? {}).flatMap(([column, of]) => (of === 'stamp' ? column : []));
  return fc.record({
    column: fc.constantFrom(...stamps),
    upTo: stamp,
    of: fc.array(match(table), { maxLength: 2 }),
  });
};

const match = (table: string): fc.Arbitrary<ColumnMatch> =>
  fc.constantFrom(...Object.entries(JOINED_COLUMNS[table] ?? {})).chain(([column, of]) =>
    fc.record({
      column: fc.constant(column),
      // Filters never compare the order of texts.
      is:
        of === 'text'
          ? fc.constantFrom('equal' as const, 'other' as const)
          : fc.constantFrom('equal' as const, 'other' as const, 'above' as const),
      field: fc.constantFrom(...FIELDS[of]),
    }),
  );

const condition = (table: string): fc.Arbitrary<ColumnCondition> =>
  fc
    .constantFrom(...Object.entries(JOINED_COLUMNS[table] ?? {}))
    .chain(([column, of]): fc.Arbitrary<ColumnCondition> => {
      const nullness = fc.record({ column: fc.constant(column), isNull: fc.boolean() });
      if (of === 'text') return fc.oneof(listOf(column, fc.constantFrom(...TEXTS, 'local', 'retraction')), nullness);
      const bound = of === 'stamp' ? stamp : fc.constantFrom(...NUMBERS);
      const bounds = fc.oneof(
        fc.record({ column: fc.constant(column), above: bound }),
        fc.record({ column: fc.constant(column), below: bound }),
      );
      return of === 'stamp'
        ? bounds
        : fc.oneof(bounds, nullness, listOf(column, fc.constantFrom(...NUMBERS, true, false)));
    });

const listOf = (column: string, value: fc.Arbitrary<string | number | boolean>): fc.Arbitrary<ColumnCondition> =>
  fc.record(
    { column: fc.constant(column), in: fc.array(value, { maxLength: 12 }), orNull: fc.boolean() },
    { requiredKeys: ['column', 'in'] },
  );

/** Generates filters of all nine kinds, nested some levels deep. */
export const arbitraryFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; leaf: Filter; join: Filter }>(
  (tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      tie('leaf'),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { maxLength: 3 }),
      }),
      tie('join'),
    ),
    leaf: fc.oneof(
      fc.record({ kind: fc.constant('in' as const), field: anyField, values: anyList }),
      fc.record({ kind: fc.constantFrom('above' as const, 'below' as const), field: anyField, value: anyBound }),
      fc.record({ kind: fc.constant('isNull' as const), field: anyField }),
      fc.record({ kind: fc.constant('startsWith' as const), field: anyField, text: prefix }),
    ),
    join: fc.constantFrom(...Object.keys(JOINED_COLUMNS)).chain((table) =>
      fc.record(
        {
          kind: fc.constant('inTable' as const),
          table: fc.constant(table),
          match: fc.array(match(table), { maxLength: 2 }),
          where: fc.array(condition(table), { maxLength: 2 }),
          whereFact: tie('filter'),
          latest: latest(table),
        },
        { requiredKeys: ['kind', 'table', 'match', 'where'] },
      ),
    ),
  }),
).filter;
