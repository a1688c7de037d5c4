import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../../kernel/plugins/plugin-tables.ts';
import { ContentBorder } from '../../../../kernel/store/content-border.ts';
import { searchContents } from '../../../../plugins/search/search-migrations.ts';
import { searchPlugin } from '../../../../plugins/search/search-plugin.ts';
import type { Generation } from '../../../../plugins/search/vectors/generation.ts';
import { GenerationStore } from '../../../../plugins/search/vectors/generation-store.ts';
import { MEMORY_FORMAT, VectorStore } from '../../../../plugins/search/vectors/vector-store.ts';
import type { ContentSeal, StoredFact } from '../../../../ports/ports.ts';
import { createManualClock } from '../../../fakes/manual-clock.ts';
import { sampleFact } from '../../../kit/fact-samples.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import { createSealedStore, type SealedStore } from '../../../kit/sealed-store.ts';

const SCALE = 0.5;
const codeOf = (n: number) => Int8Array.of(n, -n, 3, 4);
const noLease = async (): Promise<void> => {};

forEachStore('vectors that a process of a sealed node has just stored', (engine) => {
  let place: SealedStore;
  let opened: number;
  let vectors: VectorStore;
  let other: VectorStore;
  let generation: Generation;

  /** Stores vectors as one process does, and counts those that it opens. */
  const openVectors = () => {
    const { seal } = place.keys;
    const counting: ContentSeal = Object.assign(Object.create(seal) as ContentSeal, {
      openBytes: (...asked: Parameters<ContentSeal['openBytes']>) => {
        opened += 1;
        return seal.openBytes(...asked);
      },
    });
    const tables = createPluginTables(place.store, 'search', undefined, new ContentBorder(counting, searchContents));
    return { tables, store: new VectorStore(tables, MEMORY_FORMAT) };
  };

  beforeEach(async () => {
    place = await createSealedStore(engine);
    opened = 0;
    await place.store.migrate(planMigrations(CORE_MIGRATIONS, [searchPlugin], []));
    const { tables, store } = openVectors();
    vectors = store;
    other = openVectors().store;
    const parts = { tables, embedder: { id: 'built-in' }, textVersion: 1, clock: createManualClock() };
    generation = (await new GenerationStore({ ...parts, format: MEMORY_FORMAT }).plan()).target;
  });
  afterEach(() => place.stop());

  const save = (store: VectorStore, facts: readonly StoredFact[], confirm = noLease): Promise<void> => {
    const made = facts.map((fact, at) => ({ fact, vector: { code: codeOf(at), scale: SCALE } }));
    return store.save(generation, made, { of: 'fresh', upTo: (facts.at(-1) as StoredFact).feed }, 1, confirm);
  };
  const read = async (store: VectorStore, seq = 0, limit = 10) =>
    (await store.after(generation.name, seq, limit)).map(({ fact, code, scale }) => ({ id: fact.id, code, scale }));
  const expected = (facts: readonly StoredFact[]) =>
    facts.map(({ id }, at) => ({ id, code: codeOf(at), scale: SCALE }));

  it('reach its index without being opened again', async () => {
    const facts = [sampleFact(1), sampleFact(2)];
    await save(vectors, facts);
    expect(await read(vectors)).to.deep.equal(expected(facts));
    expect(opened).to.equal(0);
  });

  it('are opened by any other process, and by this one after its index has them', async () => {
    const facts = [sampleFact(1), sampleFact(2)];
    await save(vectors, facts);
    expect(await read(other)).to.deep.equal(expected(facts));
    expect(opened).to.equal(2);
    await read(vectors);
    expect(await read(vectors)).to.deep.equal(expected(facts));
    expect(opened).to.equal(4);
  });

  it('come in the order of the store, between those of other processes', async () => {
    const facts = [sampleFact(1)];
    const others = [sampleFact(3)];
    await save(other, others);
    await save(vectors, facts);
    expect(await read(vectors)).to.deep.equal([...expected(others), ...expected(facts)]);
    expect(opened).to.equal(1);
  });

  it('come from the store after an erasure, so that no erased one stays in memory', async () => {
    const facts = [sampleFact(1)];
    await save(vectors, facts);
    vectors.forget();
    expect(await read(vectors)).to.deep.equal(expected(facts));
    expect(opened).to.equal(1);
  });

  it('are not there if the transaction failed', async () => {
    const facts = [sampleFact(1)];
    const error = await rejection(save(vectors, facts, () => Promise.reject(new Error('no lease'))));
    expect(String(error)).to.include('no lease');
    expect(await read(vectors)).to.deep.equal([]);
  });

  it('are read page by page', async () => {
    const facts = Array.from({ length: 5 }, (_, n) => sampleFact(n));
    await save(vectors, facts);
    const first = await vectors.after(generation.name, 0, 2);
    const rest = await vectors.after(generation.name, first.at(-1)?.seq ?? 0, 10);
    expect([...first, ...rest].map(({ code }) => code)).to.deep.equal(expected(facts).map(({ code }) => code));
    expect(opened).to.equal(0);
  });
});
