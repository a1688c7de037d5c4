import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import {
  type ContentSeal,
  DEFAULT_TENANT,
  type FactStore,
  type SealedSubject,
  type SqlValue,
  type StoredFact,
  type WriteRecord,
} from '../../../ports/ports.ts';
import { factById, SAMPLE_TRIPLE, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { createSealedStore, type SealedStore } from '../../kit/sealed-store.ts';

const COMMITMENT = new Uint8Array(32).fill(9);
const BOB = 'user:bob';

type Row = Readonly<Record<string, SqlValue>>;

const record = (n: number): WriteRecord => ({
  writer: 'agent:writer',
  writerSub: null,
  writerKeyId: null,
  tags: [],
  salt: new Uint8Array(16).fill(n),
  link: null,
});

/** Returns a fact of the store, of which the second one is of the node itself. */
const stored = (n: number): StoredFact => (n === 2 ? sampleFact(2, { system: true }) : sampleFact(n));

const subjectOf = (row: Row): SealedSubject => ({ ...SAMPLE_TRIPLE, entityKey: String(row['entity_key']) });

forEachStore('the keys of erased facts', (engine) => {
  let current: SealedStore;

  beforeEach(async () => {
    current = await createSealedStore(engine);
    const { store } = current;
    await store.migrate(CORE_MIGRATIONS);
    // The second one is of the node itself, so an erasure of the first one destroys their key.
    const facts = [stored(1), stored(2), sampleFact(3, { entity: BOB, entityKey: BOB })];
    await store.write(DEFAULT_TENANT, (transaction) =>
      transaction.insert(
        facts,
        facts.map((_, at) => record(at + 1)),
      ),
    );
  });
  afterEach(() => current.stop());

  const rowsOf = (store: FactStore): Promise<readonly Row[]> => store.read((snapshot) => snapshot.select('facts', {}));
  const erase = (store: FactStore, ...ids: readonly string[]) =>
    store.write(DEFAULT_TENANT, (transaction) => transaction.erase(ids.map((id) => ({ id, commitment: COMMITMENT }))));
  const fact = (store: FactStore, id: string): Promise<StoredFact | undefined> =>
    store.read((snapshot) => factById(snapshot, id));
  const salts = async (store: FactStore) => {
    const query = { tenantId: DEFAULT_TENANT, order: 'oldest', limit: 9, members: ['salt'] } as const;
    return (await store.read((snapshot) => snapshot.ledger<'salt'>(query))).map(({ salt }) => salt?.[0]);
  };

  /** Returns the ids of the facts in a copy of the store that a thief with the present file of keys can read. */
  const readableIn = async (copy: readonly Row[]): Promise<string[]> => {
    const seal = await current.keys.another();
    return copy
      .filter((row) => {
        try {
          seal.openValue(subjectOf(row), String(row['id']), row['sealed'] as Uint8Array);
          return true;
        } catch {
          return false;
        }
      })
      .map((row) => String(row['id']))
      .sort();
  };

  it('are destroyed by a scrub, so that an earlier copy of the store shows nothing of these facts', async () => {
    const { store } = current;
    const copy = await rowsOf(store);
    const before = await readableIn(copy);
    await erase(store, sampleId(1));
    await store.scrub();
    expect(before).to.deep.equal([sampleId(1), sampleId(2), sampleId(3)]);
    expect(await readableIn(copy)).to.deep.equal([sampleId(3)]);
    expect(await fact(store, sampleId(2))).to.deep.equal(stored(2));
    expect(await salts(store)).to.deep.equal([undefined, 2, 3]);
    expect(await store.read((snapshot) => snapshot.select('seal_destructions', {}))).to.deep.equal([]);
  });

  it('stay where they also open facts that an erasure has spared, so that a backup keeps these', async () => {
    const { store } = current;
    await store.write(DEFAULT_TENANT, (transaction) => transaction.insert([sampleFact(6)]));
    const copy = await rowsOf(store);
    await erase(store, sampleId(1));
    expect(await store.scrub()).to.include(
      'earlier backups, replicas and logs: they still open some erased facts, whose key also opens facts that stay',
    );
    expect(await readableIn(copy)).to.deep.equal([1, 2, 3, 6].map((n) => sampleId(n)));
    await erase(store, sampleId(6));
    await store.scrub();
    expect(await readableIn(copy)).to.deep.equal([sampleId(3)]);
  });

  it('are left alone by an erasure without a scrub, and by a scrub without an erasure', async () => {
    const { store, keys } = current;
    const copy = await rowsOf(store);
    await store.scrub();
    expect(keys.seal.version).to.equal((await keys.another()).version);
    await erase(store, sampleId(1));
    expect(await readableIn(copy)).to.have.length(3);
  });

  it('of hundreds of entities go with one change of the file, and facts that stay are sealed anew', async () => {
    const { store, keys } = current;
    const about = (n: number) => ({ entity: `user:u${n}`, entityKey: `user:u${n}` });
    const doomed = Array.from({ length: 210 }, (_, n) => sampleFact(1_000 + n, about(n)));
    const ofNode = Array.from({ length: 450 }, (_, n) => sampleFact(2_000 + n, { ...about(205), system: true }));
    const spared = sampleFact(3_000, about(207));
    await store.write(DEFAULT_TENANT, (transaction) => transaction.insert([...doomed, ...ofNode, spared]));
    const copy = await rowsOf(store);
    const before = (await keys.another()).version;
    await erase(store, ...doomed.map(({ id }) => id));
    await store.scrub();
    expect((await keys.another()).version).to.equal(before + 1);
    const left = [1, 2, 3, 1_207, 3_000].map((n) => sampleId(n));
    expect(await readableIn(copy)).to.deep.equal(left);
    for (const one of [...ofNode, spared]) expect(await fact(store, one.id)).to.deep.equal(one);
    expect(await store.read((snapshot) => snapshot.select('seal_destructions', {}))).to.deep.equal([]);
  });

  it('include the key of digests once no fact about the entity is left', async () => {
    const { store, keys } = current;
    const digest = (): string => keys.seal.digestOf(SAMPLE_TRIPLE, 's:tea');
    const first = digest();
    await erase(store, sampleId(1));
    await store.scrub();
    const second = digest();
    await erase(store, sampleId(2));
    await store.scrub();
    expect([second === first, digest() === first]).to.deep.equal([true, false]);
  });

  it('seal nothing that is written after the erasure, by any process', async () => {
    const { store } = current;
    const other = await current.another();
    await erase(store, sampleId(1));
    await other.write(DEFAULT_TENANT, (transaction) => transaction.insert([sampleFact(4)]));
    await store.scrub();
    await other.write(DEFAULT_TENANT, (transaction) => transaction.insert([sampleFact(5)]));
    for (const n of [2, 4, 5]) {
      for (const one of [store, other]) expect(await fact(one, sampleId(n))).to.deep.equal(stored(n));
    }
    await erase(other, sampleId(4), sampleId(5));
    const copy = await rowsOf(store);
    await other.scrub();
    expect(await readableIn(copy)).to.deep.equal([sampleId(3)]);
    expect(await fact(store, sampleId(2))).to.deep.equal(stored(2));
  });

  const failures: readonly (readonly [string, (seal: ContentSeal) => Partial<ContentSeal>])[] = [
    ['while it seals the remaining facts', () => ({ sealValue: fail })],
    ['before it destroys the keys', () => ({ destroy: async () => fail() })],
    ['after it has destroyed the keys', (seal) => ({ destroy: async (keys) => seal.destroy(keys).then(fail) })],
  ];
  for (const [when, failing] of failures) {
    it(`are destroyed by the next scrub where one ends ${when}`, async () => {
      const { store } = current;
      const copy = await rowsOf(store);
      await erase(store, sampleId(1));
      const seal = await current.keys.another();
      const broken = await current.another(withMembers(seal, failing(seal)));
      expect((await rejection(broken.scrub())).message).to.equal('interrupted');
      const later = await current.another();
      await later.write(DEFAULT_TENANT, (transaction) => transaction.insert([sampleFact(4)]));
      await later.scrub();
      expect(await readableIn(copy)).to.deep.equal([sampleId(3)]);
      for (const n of [2, 4]) expect(await fact(later, sampleId(n))).to.deep.equal(stored(n));
      expect(await later.read((snapshot) => snapshot.select('seal_destructions', {}))).to.deep.equal([]);
    });
  }

  it('of a removed tenant are destroyed with its last row', async () => {
    const { store, keys } = current;
    const foreign = sampleFact(7, { tenantId: 'other' });
    await store.write('other', (transaction) => transaction.insert([foreign]));
    const [row] = await store.read((snapshot) => snapshot.select('facts', { tenant_id: 'other' }));
    const open = async () =>
      (await keys.another()).openValue(
        { ...SAMPLE_TRIPLE, tenantId: 'other' },
        foreign.id,
        row?.['sealed'] as Uint8Array,
      );
    expect(await open()).to.equal(foreign.value.v);
    while (await store.removeTenant('other', 1, async () => {})) expect(await open()).to.equal(foreign.value.v);
    expect(await rejection(open())).to.be.instanceOf(Error);
    expect(await fact(store, sampleId(1))).to.deep.equal(sampleFact(1));
  });

  it('make no erased fact of one whose header somebody changed to name them', async () => {
    const { store } = current;
    const former = (await rowsOf(store)).find((row) => row['id'] === sampleId(1))?.['sealed'] as Uint8Array;
    await erase(store, sampleId(1));
    await store.scrub();
    const sealed = (await rowsOf(store)).find((row) => row['id'] === sampleId(2))?.['sealed'] as Uint8Array;
    const header = former.subarray(0, current.keys.seal.headerBytes);
    await store.write(DEFAULT_TENANT, async (transaction) => {
      await transaction
        .table('facts')
        .where({ id: sampleId(2) })
        .update({
          sealed: Buffer.concat([header, sealed.subarray(header.length)]),
          salt: new Uint8Array(16).fill(8),
        });
    });
    const found = await fact(store, sampleId(2));
    expect([found?.damage, found?.value.v]).to.deep.equal(['sealed', null]);
  });

  it('make a fact of a changed row a damaged one, and leave the others readable', async () => {
    const { store } = current;
    const rows = await rowsOf(store);
    const [one, two] = [sampleId(1), sampleId(2)].map((id) => rows.find((row) => row['id'] === id));
    await store.write(DEFAULT_TENANT, async (transaction) => {
      await transaction
        .table('facts')
        .where({ id: sampleId(1) })
        .update({ sealed: two?.['sealed'], salt: one?.['salt'] });
    });
    const found = await fact(store, sampleId(1));
    expect([found?.damage, found?.value.v]).to.deep.equal(['sealed', null]);
    expect(await fact(store, sampleId(2))).to.deep.equal(stored(2));
  });
});

describe('the files of a sealed SQLite store', () => {
  const CANARY = 'canary-9f3b';
  const CID = `sha256:${'c0ffee'.repeat(10)}beef`;
  const REFERENCE = `sha256:${'deadbeef'.repeat(8)}`;

  it('hold nothing of a value, of its salt or of a content id', async () => {
    const current = await createSealedStore('sqlite');
    try {
      const { store } = current;
      await store.migrate(CORE_MIGRATIONS);
      const facts = [1, 2, 3].map((n) =>
        sampleFact(n, {
          value: { type: 'text', v: CANARY.repeat(n === 3 ? 2_000 : 1), interpretAs: 'content' },
          valueKey: current.keys.seal.digestOf(SAMPLE_TRIPLE, `t:${CANARY}`),
          cid: CID.replace(/.$/, String(n)),
          derivedFrom: [REFERENCE],
        }),
      );
      const salt = Buffer.from('salt of canaries');
      const records = facts.map(() => ({ ...record(1), salt }));
      await store.write(DEFAULT_TENANT, (transaction) => transaction.insert(facts, records));
      const forms = [CANARY, CID, REFERENCE, salt.toString()].flatMap((text) => [
        text,
        Buffer.from(text).toString('hex'),
        Buffer.from(text).toString('base64').slice(0, -4),
      ]);
      const needles = [...forms, CID.slice(7, 40), REFERENCE.slice(7, 40)].map((text) => Buffer.from(text));
      needles.push(Buffer.from(CID.slice(7, 40), 'hex'));
      const folder = current.folder as string;
      for (const name of await readdir(folder)) {
        const bytes = await readFile(join(folder, name));
        for (const needle of needles) expect(bytes.includes(needle), `${needle} in ${name}`).to.equal(false);
      }
      expect(await store.read((snapshot) => factById(snapshot, sampleId(3)))).to.deep.equal(facts[2]);
    } finally {
      await current.stop();
    }
  });
});

const fail = (): never => {
  throw new Error('interrupted');
};

/** Returns a seal with other members. Its version stays that of the given seal. */
const withMembers = (seal: ContentSeal, members: Partial<ContentSeal>): ContentSeal =>
  Object.create(seal, Object.getOwnPropertyDescriptors(members)) as ContentSeal;
