import { expect } from 'chai';
import { notExpired } from '../../../kernel/facts/default-constraints.ts';
import {
  all,
  type Cover,
  equals,
  type Filter,
  type Hlc,
  inTable,
  not,
  type StoredFact,
  type TripleKey,
} from '../../../ports/ports.ts';
import {
  idsOf,
  outlineOf,
  SAMPLE_MS,
  SAMPLE_TRIPLE,
  sampleCover,
  sampleFact,
  sampleId,
  stamp,
  storeFacts,
} from '../../kit/fact-samples.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const NOW_MS = SAMPLE_MS + 100;
const GARDEN = '11111111-1111-4111-8111-111111111111';
const OTHER_GARDEN = '22222222-2222-4222-8222-222222222222';

export const describeLiveness = (current: CurrentStore): void => {
  const siblings = async (triple: TripleKey = SAMPLE_TRIPLE, limit = 10): Promise<string[]> => {
    const [found = []] = await current().store.read((snapshot) => snapshot.siblings([triple], NOW_MS, limit));
    return idsOf(found);
  };
  const store = (...facts: StoredFact[]) => storeFacts(current().store, facts);

  describe('siblings, the live facts of one triple and place', () => {
    it('are returned for each triple as outlines, which leave out long values', async () => {
      const other = { ...SAMPLE_TRIPLE, relationKey: 'memory:team' };
      await store(sampleFact(1), sampleFact(2, other), sampleFact(3, other));
      const nothing = { ...SAMPLE_TRIPLE, tenantId: 'other' };
      const found = await current().store.read((snapshot) =>
        snapshot.siblings([other, nothing, SAMPLE_TRIPLE], NOW_MS, 10),
      );
      expect(found).to.deep.equal([
        [outlineOf(sampleFact(3, other)), outlineOf(sampleFact(2, other))],
        [],
        [outlineOf(sampleFact(1))],
      ]);
    });

    it('share tenant, entity, relation, scope and garden', async () => {
      await store(sampleFact(1));
      const changes = [{ tenantId: 'x' }, { entityKey: 'x' }, { relationKey: 'x' }, { scope: 'local' }] as const;
      for (const change of [...changes, { gardenId: GARDEN }]) {
        expect(await siblings({ ...SAMPLE_TRIPLE, ...change })).to.deep.equal([]);
      }
    });

    it('are sorted strongest first: by confidence, then by origin stamp', async () => {
      await store(
        sampleFact(1, { confidence: 0.5, hlc: stamp(9, 10) }),
        sampleFact(2, { confidence: 0.5, hlc: stamp(9, 9) }),
        sampleFact(3, { confidence: 0.9, hlc: stamp(1) }),
        sampleFact(4, { confidence: 0.5, hlc: stamp(8, 99) }),
      );
      expect(await siblings()).to.deep.equal([3, 1, 2, 4].map(sampleId));
      expect(await siblings(SAMPLE_TRIPLE, 2)).to.deep.equal([3, 1].map(sampleId));
    });

    it('exclude retractions', async () => {
      await store(sampleFact(1, { confidence: 0 }), sampleFact(2, { confidence: 5e-324 }));
      expect(await siblings()).to.deep.equal([sampleId(2)]);
    });

    it('exclude facts past their valid_until', async () => {
      await store(
        sampleFact(1, { validUntilMs: NOW_MS }),
        sampleFact(2, { validUntilMs: NOW_MS + 1 }),
        sampleFact(3, { validUntilMs: NOW_MS - 1 }),
      );
      expect(await siblings()).to.deep.equal([sampleId(2)]);
    });

    it('exclude expired facts', async () => {
      await store(sampleFact(1), sampleFact(2), sampleFact(3));
      await current().store.write('default', async (transaction) => {
        await transaction.setExpiry(sampleId(1), NOW_MS, stamp(50));
        await transaction.setExpiry(sampleId(2), NOW_MS + 1, stamp(51));
      });
      expect(await siblings()).to.deep.equal([3, 2].map(sampleId));
    });

    it('exclude facts that a cover with a higher stamp has ended, in any order of arrival', async () => {
      const cover = () =>
        current().store.write('default', (transaction) => transaction.cover([sampleCover('c', stamp(5, 10))]));
      await store(sampleFact(1, { hlc: stamp(5, 9) }), sampleFact(2, { hlc: stamp(5, 10) }));
      await cover();
      await store(sampleFact(3, { hlc: stamp(4, 99) }), sampleFact(4, { hlc: stamp(5, 11) }));
      expect(await siblings()).to.deep.equal([4, 2].map(sampleId));
    });

    it('are ended by a resolution as by a retraction, and only in their own triple', async () => {
      await store(sampleFact(1), sampleFact(2, { scope: 'local' }));
      await current().store.write('default', (transaction) =>
        transaction.cover([sampleCover('c', stamp(9), { kind: 'resolution' })]),
      );
      expect(await siblings()).to.deep.equal([]);
      expect(await siblings({ ...SAMPLE_TRIPLE, scope: 'local' })).to.deep.equal([sampleId(2)]);
    });

    it('are ended by a cover only in the garden of that cover, or outside', async () => {
      const places = [null, GARDEN, OTHER_GARDEN];
      await store(...places.map((gardenId, at) => sampleFact(at, { gardenId })));
      const left = () => Promise.all(places.map((gardenId) => siblings({ ...SAMPLE_TRIPLE, gardenId })));
      expect(await left()).to.deep.equal([[sampleId(0)], [sampleId(1)], [sampleId(2)]]);
      const cover = (id: string, gardenId: string | null) =>
        current().store.write('default', (transaction) => transaction.cover([sampleCover(id, stamp(9), { gardenId })]));
      await cover('c', GARDEN);
      expect(await left()).to.deep.equal([[sampleId(0)], [], [sampleId(2)]]);
      await cover('d', null);
      expect(await left()).to.deep.equal([[], [], [sampleId(2)]]);
    });

    it('are ended by a peer only where that peer stated them', async () => {
      const speakers = [null, 'svc:node:a', 'svc:node:b'];
      await store(...speakers.map((speaker, at) => sampleFact(at, { speaker })));
      const cover = (id: string, speaker: string | null) =>
        current().store.write('default', (transaction) => transaction.cover([sampleCover(id, stamp(9), { speaker })]));
      await cover('c', 'svc:node:a');
      expect(await siblings()).to.deep.equal([2, 0].map(sampleId));
      await cover('d', null);
      expect(await siblings()).to.deep.equal([]);
    });
  });

  describe('cover', () => {
    it('is recorded once by the id of its fact', async () => {
      await current().store.write('default', async (transaction) => {
        await transaction.cover([sampleCover('c', stamp(5)), sampleCover('c', stamp(6))]);
        await transaction.cover([sampleCover('c', stamp(7)), sampleCover('d', stamp(1))]);
        await transaction.cover([]);
      });
      await store(sampleFact(1, { hlc: stamp(4) }), sampleFact(2, { hlc: stamp(5, 1) }));
      expect(await siblings()).to.deep.equal([sampleId(2)]);
    });

    it('that names a fact by id and origin ends only that fact, in its own place', async () => {
      const own = { id: sampleId(1), origin: 'svc:node:here', isOwn: true };
      const named = { id: 'id at b', origin: 'svc:node:b', isOwn: false };
      const ofB = { originNodeId: 'svc:node:b', speaker: 'svc:node:b', originId: 'id at b' };
      const twins = [sampleFact(3, ofB), sampleFact(4, { ...ofB, originNodeId: 'svc:node:c' })];
      await store(sampleFact(1), sampleFact(2), ...twins, sampleFact(5, { ...ofB, originId: sampleId(1) }));
      const cover = (factId: string, members: Partial<Cover>) =>
        current().store.write('default', (transaction) =>
          transaction.cover([sampleCover(factId, stamp(50), { kind: 'replacement', ...members })]),
        );
      await cover('elsewhere', { named: own, gardenId: GARDEN });
      await cover('another speaker', { named, speaker: 'svc:node:c' });
      await cover('older', { named: own, hlc: stamp(1) });
      expect(await siblings()).to.have.length(5);
      await cover('one', { named: own });
      await cover('other', { named, speaker: 'svc:node:b' });
      expect(await siblings()).to.have.members([2, 4, 5].map(sampleId));
    });

    it('can be joined by a filter', async () => {
      await store(sampleFact(1), sampleFact(2), sampleFact(3, { tenantId: 'other' }));
      await current().store.write('default', (transaction) =>
        transaction.cover([sampleCover('c', stamp(1, 5), { gardenId: GARDEN })]),
      );
      const joined = (where: Extract<Filter, { kind: 'inTable' }>['where']): Filter =>
        inTable(
          'fact_covers',
          [
            { column: 'tenant_id', is: 'equal', field: 'tenantId' },
            { column: 'entity_key', is: 'equal', field: 'entityKey' },
            { column: 'relation_key', is: 'equal', field: 'relationKey' },
            { column: 'scope', is: 'equal', field: 'scope' },
            { column: 'hlc', is: 'above', field: 'hlc' },
          ],
          where,
        );
      const find = async (filter: Filter) =>
        idsOf(await current().store.read((snapshot) => snapshot.find({ filter, order: 'feed', limit: 10 })));
      expect(await find(joined([]))).to.deep.equal([sampleId(1)]);
      expect(await find(joined([{ column: 'kind', in: ['retraction'] }]))).to.deep.equal([sampleId(1)]);
      expect(await find(joined([{ column: 'kind', in: ['resolution'] }]))).to.deep.equal([]);
      expect(await find(joined([{ column: 'place', isNull: true }]))).to.deep.equal([]);
      expect(await find(joined([{ column: 'place', in: [], orNull: true }]))).to.deep.equal([]);
      expect(await find(joined([{ column: 'place', in: [GARDEN], orNull: true }]))).to.deep.equal([sampleId(1)]);
      expect(await find(all(equals('scope', 'company'), joined([])))).to.deep.equal([sampleId(1)]);
    });
  });

  describe('setExpiry', () => {
    const expired = async (nowMs: number): Promise<string[]> => {
      const filter = inTable(
        'fact_expiries',
        [{ column: 'fact_id', is: 'equal', field: 'id' }],
        [{ column: 'expires_ms', below: nowMs + 1 }],
      );
      return idsOf(await current().store.read((snapshot) => snapshot.find({ filter, order: 'feed', limit: 10 })));
    };

    it('ends the fact at exactly that instant', async () => {
      await store(sampleFact(1));
      await current().store.write('default', (transaction) => transaction.setExpiry(sampleId(1), 500, stamp(1)));
      expect(await expired(499)).to.deep.equal([]);
      expect(await expired(500)).to.deep.equal([sampleId(1)]);
    });

    it('is decided by the newest stamp, in any order of the calls', async () => {
      const authorities = [
        [100, stamp(1, 9)],
        [300, stamp(1, 10)],
        [200, stamp(1, 2)],
      ] as const;
      for (const [n, order] of [
        [0, 1, 2],
        [1, 0, 2],
        [2, 1, 0],
        [0, 2, 1],
      ].entries()) {
        await store(sampleFact(n));
        await current().store.write('default', async (transaction) => {
          for (const at of order) {
            const [expiresMs, hlc] = authorities[at] as (typeof authorities)[number];
            await transaction.setExpiry(sampleId(n), expiresMs, hlc);
          }
        });
      }
      expect(await expired(299)).to.deep.equal([]);
      expect(await expired(300)).to.have.length(4);
    });

    it('uses the earlier end of two calls with one stamp, in any order', async () => {
      await store(sampleFact(1), sampleFact(2));
      await current().store.write('default', async (transaction) => {
        for (const expiresMs of [100, 200]) await transaction.setExpiry(sampleId(1), expiresMs, stamp(1));
        for (const expiresMs of [200, 100]) await transaction.setExpiry(sampleId(2), expiresMs, stamp(1));
      });
      expect(await expired(99)).to.deep.equal([]);
      expect(await expired(100)).to.deep.equal([1, 2].map(sampleId));
    });

    it('keeps replaced expiries until reads of the past no longer need them', async () => {
      const fact = sampleFact(1, { feed: stamp(1) });
      await store(fact);
      await current().store.write('default', async (transaction) => {
        await transaction.setExpiry(fact.id, 500, stamp(2), stamp(3));
        await transaction.setExpiry(fact.id, 900, stamp(1), stamp(4));
        await transaction.setExpiry(fact.id, 400, stamp(5), stamp(6));
        await transaction.setExpiry(fact.id, 600, stamp(7), stamp(8));
      });
      const isOver = (at: Hlc, nowMs: number): Promise<number> =>
        current().store.read((snapshot) => snapshot.count(not(notExpired({ nowMs, asOf: at }))));
      const ends = [
        [1, undefined],
        [3, 500],
        [5, 500],
        [6, 400],
        [7, 400],
        [8, 600],
        [9, 600],
      ] as [number, number | undefined][];
      const check = async () => {
        for (const [at, endMs] of ends) {
          const expected = endMs === undefined ? [0, 0, 0] : [0, 1, 1];
          const asked = [(endMs ?? 1000) - 1, endMs ?? 1000, 2000];
          expect(await Promise.all(asked.map((nowMs) => isOver(stamp(at), nowMs))), `as of ${at}`).to.deep.equal(
            expected,
          );
        }
      };
      await check();
      const dropped = (limit: number): Promise<number> =>
        current().store.write('default', (transaction) => transaction.dropPast(limit));
      expect(await current().store.read((snapshot) => snapshot.pastFloor())).to.deep.equal({ wallMs: 0, counter: 0 });
      expect(await dropped(10)).to.equal(0);
      await current().store.write('default', (transaction) => transaction.raisePastFloor(stamp(8)));
      await current().store.write('default', (transaction) => transaction.raisePastFloor(stamp(7)));
      expect(await current().store.read((snapshot) => snapshot.pastFloor())).to.deep.equal(stamp(8));
      expect(await current().store.write('other', (transaction) => transaction.dropPast(10))).to.equal(0);
      expect([await dropped(1), await dropped(10), await dropped(10)]).to.deep.equal([1, 1, 0]);
      ends.splice(0, 5);
      await check();
    });

    it('may be called before its fact arrives', async () => {
      await current().store.write('default', (transaction) => transaction.setExpiry(sampleId(1), 500, stamp(1)));
      await store(sampleFact(1));
      expect(await expired(500)).to.deep.equal([sampleId(1)]);
    });
  });
};
