import { expect } from 'chai';
import fc from 'fast-check';
import {
  above,
  all,
  type EntityQuery,
  equals,
  type FactOutline,
  type Filter,
  isIn,
  type Snapshot,
  type StoredFact,
  type TextQuery,
} from '../../../ports/ports.ts';
import { idsOf, outlineOf, sampleFact, stamp, storeFacts } from '../../kit/fact-samples.ts';
import { RUNS } from '../../kit/property-runs.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const GARDENS = [null, '7b0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'f0000000-0000-4000-8000-000000000001'];
/** Entity names in byte order. */
const ENTITIES = ['User:a', 'user:a', 'user:a-b', 'user:b', 'é'];
const RELATIONS = ['a:b', 'a:c', 'b'];
const SCOPES = ['company', 'local', 'public', 'team'] as const;

/** Generates few names, so that many facts share a triple, a place and a strength. */
const placedFacts = fc
  .array(
    fc.record({
      tenantId: fc.constantFrom('default', 'other'),
      entityKey: fc.constantFrom(...ENTITIES),
      relationKey: fc.constantFrom(...RELATIONS),
      scope: fc.constantFrom(...SCOPES),
      gardenId: fc.constantFrom(...GARDENS),
      confidence: fc.constantFrom(0, 0.1 + 0.2, 1),
      counter: fc.nat(2),
      system: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((some) =>
    some.map(({ counter, ...members }, n) =>
      sampleFact(n, { ...members, hlc: stamp(0, counter), feed: stamp(n), timestampMs: 0 }),
    ),
  );

const keyOf = (fact: StoredFact): readonly (string | number)[] => [
  ENTITIES.indexOf(fact.entityKey),
  RELATIONS.indexOf(fact.relationKey),
  SCOPES.indexOf(fact.scope),
  GARDENS.indexOf(fact.gardenId),
  fact.confidence,
  fact.hlc.counter,
  fact.id,
];

const compareKeys = (one: StoredFact, other: StoredFact): number => {
  const others = keyOf(other);
  for (const [at, part] of keyOf(one).entries()) {
    const beside = others[at] ?? '';
    if (part !== beside) return part < beside ? -1 : 1;
  }
  return 0;
};

const walk = async (snapshot: Snapshot, filter: Filter, limit: number): Promise<FactOutline[]> => {
  const found: FactOutline[] = [];
  for (let after: FactOutline | undefined; ; after = found.at(-1)) {
    const page = await snapshot.outlineByTriple({ tenantId: 'default', filter, after, limit });
    expect(page.length).to.be.at.most(limit);
    found.push(...page);
    if (page.length < limit) return found;
  }
};

export const describeTripleOrder = (current: CurrentStore): void => {
  describe('facts triple by triple', () => {
    it('are returned in order, each once, in pages of any size', async () => {
      let batch = 0;
      await fc.assert(
        fc.asyncProperty(placedFacts, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (made, limit, some) => {
          batch += 1;
          const facts = made.map((fact, n) => ({ ...fact, id: `${batch} ${n}`, sourceKey: `batch:${batch}` }));
          await storeFacts(current().store, facts);
          const ofBatch = equals('sourceKey', `batch:${batch}`);
          const filter = some ? all(ofBatch, equals('system', false), above('confidence', 0)) : ofBatch;
          const expected = facts
            .filter((fact) => fact.tenantId === 'default' && !(some && (fact.system || fact.confidence === 0)))
            .sort(compareKeys)
            .map(outlineOf);
          expect(await current().store.read((snapshot) => walk(snapshot, filter, limit))).to.deep.equal(expected);
        }),
        { numRuns: Math.min(RUNS, 60) },
      );
    });

    it('continue after a fact that the filter excludes', async () => {
      const facts = [1, 2, 3].map((n) => sampleFact(n, { confidence: n === 2 ? 0.5 : 1 }));
      await storeFacts(current().store, facts);
      const after = outlineOf(facts[1] as StoredFact);
      const query = { tenantId: 'default', filter: equals('confidence', 1), after, limit: 9 };
      const found = await current().store.read((snapshot) => snapshot.outlineByTriple(query));
      expect(idsOf(found)).to.deep.equal(idsOf([1, 3].map((n) => sampleFact(n))));
    });
  });

  describe('the texts of a member', () => {
    it('are listed once each among the matching facts, without null, up to the limit', async () => {
      const facts = [
        sampleFact(1, { entityKey: 'user:a', sourceKey: 'agent:x', sessionId: null }),
        sampleFact(2, { entityKey: 'user:a', sourceKey: 'agent:y', sessionId: 'one' }),
        sampleFact(3, { entityKey: 'user:b', sourceKey: 'agent:x', sessionId: 'two' }),
        sampleFact(4, { entityKey: 'team:b', sourceKey: 'agent:x', sessionId: 'two' }),
      ];
      await storeFacts(current().store, facts);
      const textsOf = (field: TextQuery['field'], asked: Partial<TextQuery> = {}): Promise<string[]> =>
        current().store.read(async (snapshot) => {
          const usual = { tenantId: 'default', field, prefix: '', filter: all(), limit: 10 };
          return (await snapshot.texts({ ...usual, ...asked })).sort();
        });
      expect(await textsOf('entityKey', { prefix: 'user:' })).to.deep.equal(['user:a', 'user:b']);
      expect(await textsOf('sourceKey')).to.deep.equal(['agent:x', 'agent:y']);
      expect(await textsOf('sessionId', { filter: equals('entityKey', 'user:a') })).to.deep.equal(['one']);
      expect(await textsOf('relationKey', { filter: equals('entityKey', 'user:z') })).to.deep.equal([]);
      expect(await textsOf('entityKey', { tenantId: 'other' })).to.deep.equal([]);
      expect(await textsOf('entityKey', { limit: 2 })).to.have.length(2);
    });

    it('are matched by a literal prefix, without wildcards', async () => {
      const keys = [
        'a',
        'a\u{10ffff}',
        'a\u{10ffff}b',
        'b',
        '\ud7ff',
        '\ud7ffz',
        '\ue000',
        'A',
        'a%',
        'a_',
        '\u{10ffff}x',
      ];
      await storeFacts(
        current().store,
        keys.map((entityKey, n) => sampleFact(n, { entityKey })),
      );
      for (const prefix of ['', 'a', 'a\u{10ffff}', '\ud7ff', '\u{10ffff}', 'a%', 'z']) {
        const texts = await current().store.read((snapshot) =>
          snapshot.texts({ tenantId: 'default', field: 'entityKey', prefix, filter: all(), limit: 100 }),
        );
        expect(texts).to.have.members(keys.filter((key) => key.startsWith(prefix)));
      }
    });
  });

  describe('entities in order', () => {
    const keysOf = async (
      from: EntityQuery['from'],
      { limit = 100, filter = above('confidence', 0), tenantId = 'default' }: Partial<EntityQuery> = {},
    ): Promise<{ readonly keys: readonly string[]; readonly pages: number }> =>
      current().store.read(async (snapshot) => {
        const keys: string[] = [];
        let place = from;
        for (let pages = 1; ; pages += 1) {
          const page = await snapshot.entities({ tenantId, filter, from: place, limit });
          keys.push(...page.keys);
          if (page.last === null) return { keys, pages };
          place = { after: page.last };
        }
      });

    it('come in pages, each of which looks at no more entities than the limit', async () => {
      const names = ['a', 'a:1', 'a:2', 'a\u{10ffff}', 'b:1', '\ud7ff:x', '\ue000'];
      const facts = names.flatMap((entityKey, n) => [
        sampleFact(n * 2, { entityKey, confidence: n === 2 ? 0 : 1 }),
        sampleFact(n * 2 + 1, { entityKey, confidence: 0 }),
      ]);
      await storeFacts(current().store, [...facts, sampleFact(99, { entityKey: 'other', tenantId: 'other' })]);
      const seen = names.filter((name) => name !== 'a:2');
      expect(await keysOf({ after: '' })).to.deep.equal({ keys: seen, pages: 1 });
      expect(await keysOf({ after: '' }, { limit: 2 })).to.deep.equal({ keys: seen, pages: 4 });
      expect(await keysOf({ after: 'a:1' })).to.deep.equal({ keys: seen.slice(2), pages: 1 });
      expect(await keysOf({ beyond: 'a:' })).to.deep.equal({ keys: seen.slice(2), pages: 1 });
      expect(await keysOf({ beyond: 'a' })).to.deep.equal({ keys: seen.slice(3), pages: 1 });
      expect(await keysOf({ beyond: '\u{10ffff}' })).to.deep.equal({ keys: [], pages: 1 });
      expect((await keysOf({ after: '' }, { tenantId: 'other' })).keys).to.deep.equal(['other']);
      expect((await keysOf({ after: '' }, { filter: equals('confidence', 0) })).keys).to.deep.equal(names);
      expect((await keysOf({ after: '' }, { tenantId: 'third' })).keys).to.deep.equal([]);
    });
  });

  describe('entities with facts', () => {
    it('are the entities of the tenant with at least one matching fact', async () => {
      const facts = [
        sampleFact(1, { entityKey: 'user:a', confidence: 0 }),
        sampleFact(2, { entityKey: 'user:a', confidence: 0.5 }),
        sampleFact(3, { entityKey: 'user:a', confidence: 0.5 }),
        sampleFact(4, { entityKey: 'user:b', confidence: 0 }),
        sampleFact(5, { entityKey: 'user:c', confidence: 1 }),
        sampleFact(6, { entityKey: 'user:d', confidence: 1, tenantId: 'other' }),
      ];
      await storeFacts(current().store, facts);
      const asked = ['user:a', 'user:b', 'user:d', 'user:e', 'user:a'];
      const withFact = (keys: readonly string[], filter: Filter): Promise<string[]> =>
        current().store.read((snapshot) => snapshot.entitiesWith('default', keys, filter));
      expect(await withFact(asked, above('confidence', 0))).to.deep.equal(['user:a']);
      expect((await withFact(asked, all())).sort()).to.deep.equal(['user:a', 'user:b']);
      expect(await withFact(['user:c'], all())).to.deep.equal(['user:c']);
      expect(await withFact([], all())).to.deep.equal([]);
      // A list of any length is one parameter of the statement.
      const ids = Array.from({ length: 30 }, (_, n) => sampleFact(n).id);
      expect((await withFact(['user:a', 'user:c'], isIn('id', ids))).sort()).to.deep.equal(['user:a', 'user:c']);
    });
  });
};
