import fc from 'fast-check';
import type { Expiry } from '../../../../kernel/internal-api.ts';
import type { IndexWriter } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import type { Cover, Scope, StoredFact } from '../../../../ports/ports.ts';
import { sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { NaiveIndex } from './naive-index.ts';

/** A change of an index. Steps use few names and words, so that they often interact. */
export type Step =
  | { readonly kind: 'fact'; readonly fact: Partial<StoredFact>; readonly hlc: number }
  | {
      readonly kind: 'cover';
      readonly entityKey: string;
      readonly scope: Scope;
      readonly gardenId: string | null;
      readonly speaker: string | null;
      readonly hlc: number;
    }
  | {
      readonly kind: 'expiry';
      readonly tenantId: string;
      readonly target: number;
      readonly expiresMs: number;
      readonly hlc: number;
    };

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
  'of',
  'oak',
  'oaks',
  'und',
  'nicht',
  'Flüsse',
  'sus',
];
const ENTITIES = ['user:alice', 'user:bob'];
const GARDENS = ['garden-a', 'garden-b'];

const texts = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '));
const gardens = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constantFrom(...GARDENS));
const scopes = fc.constantFrom<Scope>('company', 'team');
const speakers = fc.constantFrom(null, null, 'svc:node:a', 'svc:node:b');
const times = fc.integer({ min: 0, max: 40 });

const facts: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('fact' as const),
  hlc: times,
  fact: fc
    .record({
      text: texts,
      entityKey: fc.constantFrom(...ENTITIES),
      relationKey: fc.constantFrom('memory:role', 'memory:note'),
      scope: scopes,
      gardenId: gardens,
      tenantId: fc.constantFrom('default', 'default', 'default', 'another'),
      confidence: fc.constantFrom(0, 0.05, 0.4, 0.9, 1),
      system: fc.constantFrom(false, false, false, true),
      validFromMs: fc.option(times, { freq: 2 }),
      validUntilMs: fc.option(times),
      sessionId: fc.constantFrom(null, 'one', 'two'),
      sourceKey: fc.constantFrom('agent:s', 'tool:mail'),
      assertedBy: fc.constantFrom(null, 'agent:s', 'agent:t'),
      timestampMs: times,
      speaker: speakers,
    })
    .map(({ text, ...rest }) => ({
      ...rest,
      entity: rest.entityKey,
      value: { type: 'text', v: text, interpretAs: 'content' } as const,
    })),
});

const covers: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('cover' as const),
  entityKey: fc.constantFrom(...ENTITIES),
  scope: scopes,
  gardenId: gardens,
  speaker: speakers,
  hlc: times,
});

const expiries: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('expiry' as const),
  tenantId: fc.constantFrom('default', 'default', 'another'),
  target: fc.integer({ min: 0, max: 20 }),
  expiresMs: times,
  hlc: times,
});

export const stories = fc.array(fc.oneof({ weight: 5, arbitrary: facts }, covers, expiries), {
  maxLength: 30,
  size: 'max',
});

export const queries = texts.filter((text) => text !== '');

export const views: fc.Arbitrary<SearchView> = fc.record({
  tenantId: fc.constantFrom('default', 'default', 'another'),
  scopes: fc.constantFrom<readonly Scope[]>(
    ['company', 'team'],
    ['company', 'team'],
    ['company', 'team'],
    ['company'],
    ['team'],
    [],
  ),
  gardens: fc.constantFrom<SearchView['gardens']>('all', 'all', 'all', [], ['garden-a'], GARDENS, ['unknown']),
  onlyGarden: fc.constantFrom(undefined, undefined, undefined, 'garden-a'),
  nowMs: fc.oneof(fc.constant(0), times),
  minConfidence: fc.constantFrom(0, 0.1, 0.6),
  entityKey: fc.constantFrom(undefined, undefined, ...ENTITIES),
  relationKey: fc.constantFrom(undefined, undefined, 'memory:note'),
  entityKeys: fc.constantFrom(undefined, undefined, undefined, ['user:alice'], ['user:nobody']),
  relationKeys: fc.constantFrom(undefined, undefined, undefined, ['memory:role']),
  sourceKeys: fc.constantFrom(undefined, undefined, undefined, ['tool:mail', 'tool:other']),
  sessionIds: fc.constantFrom(undefined, undefined, undefined, ['one'], ['one', 'two']),
  assertedBy: fc.constantFrom(undefined, undefined, undefined, 'agent:s'),
  afterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, times),
  beforeMs: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, times),
});

/** Applies the `n`-th step to an index. Facts are numbered by their step. */
export const applyStep = (step: Step, n: number, index: Pick<IndexWriter, 'add' | 'cover' | 'expire'>): void => {
  if (step.kind === 'fact') index.add(factOf(step, n));
  else if (step.kind === 'cover') index.cover({ ...coverOf(step, n), since: stamp(n) });
  else index.expire({ ...expiryOf(step), since: stamp(n) });
};

/** Returns a naive index after all steps of the story. */
export const retold = (story: readonly Step[]): NaiveIndex => {
  const naive = new NaiveIndex();
  story.forEach((step, n) => {
    if (step.kind === 'fact') naive.facts.push(factOf(step, n));
    else if (step.kind === 'cover') naive.covers.push(coverOf(step, n));
    else naive.expire(expiryOf(step));
  });
  return naive;
};

/** Builds the fact of a step. Facts of the two tenants share identifiers, but facts of one tenant never do. */
export const factOf = (step: Extract<Step, { kind: 'fact' }>, n: number): StoredFact => {
  const id = sampleId(step.fact.tenantId === 'another' ? n ^ 1 : n);
  return sampleFact(n, { ...step.fact, id, hlc: stamp(step.hlc), feed: stamp(n) });
};

export const expiryOf = ({ tenantId, target, expiresMs, hlc }: Extract<Step, { kind: 'expiry' }>): Expiry => ({
  tenantId,
  factId: sampleId(target),
  expiresMs,
  hlc: stamp(hlc),
  since: stamp(hlc),
});

export const coverOf = (step: Extract<Step, { kind: 'cover' }>, n: number): Cover => ({
  kind: n % 2 === 0 ? 'retraction' : 'resolution',
  factId: sampleId(n),
  assertedBy: null,
  named: null,
  tenantId: 'default',
  entityKey: step.entityKey,
  relationKey: 'memory:role',
  scope: step.scope,
  gardenId: step.gardenId,
  speaker: step.speaker,
  hlc: stamp(step.hlc),
  since: stamp(step.hlc),
});
