import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PluginFiles } from '../../../../kernel/internal-api.ts';
import { ServiceError } from '../../../../kernel/plugin-api.ts';
import { quantise } from '../../../../plugins/search/codes/quantise.ts';
import { LocalHost } from '../../../../plugins/search/host/local-host.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import { SnapshotFiles } from '../../../../plugins/search/snapshot/snapshot-files.ts';
import { findNear, findNewest, findWords } from '../../../contract/search-index/ask-index.ts';
import { fixedContentSeal } from '../../../fakes/fixed-content-seal.ts';
import { plainFiles } from '../../../fakes/plain-files.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { idsOf, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { unitVectors } from '../codes/unit-vectors.ts';
import { TEST_SEED } from '../index/test-seed.ts';

const DIMENSIONS = 32;
const OWNER = { nodeId: 'node', epoch: 'first', erasures: '0', build: '0' };
const VIEW: SearchView = { tenantId: 'default', scopes: ['company'], gardens: [], nowMs: 0, minConfidence: 0 };
/** The number of facts of the first part; each later part has a quarter of it. */
const MANY = 400;
const FEW = 100;
const NOTHING_ENDS = { hidden: [], covers: [], expiries: [], formerExpiries: [] };

const draw = unitVectors(DIMENSIONS, 5);
const vectors = Array.from({ length: MANY * 4 }, () => draw());

/** An index that receives numbered facts with their vectors. */
class Teller {
  readonly host = new LocalHost(TEST_SEED);
  #layer = 0;
  #told = 0;

  async open(): Promise<this> {
    return this.#serve();
  }

  /** Continues from the snapshot in the folder. */
  async read(files: SnapshotFiles): Promise<this> {
    const found = await files.find(OWNER);
    if (found === undefined) throw new Error('there is no snapshot');
    await this.host.restore(found);
    this.#told = this.host.size.facts;
    return this.#serve();
  }

  async tell(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, at) => this.#told + at + 1);
    this.#told += count;
    const text = (n: number) => ({ type: 'text', v: `word${n % 7} of ${n}`, interpretAs: 'content' }) as const;
    const facts = numbers.map((n) => sampleFact(n, { entityKey: `user:${n % 50}`, value: text(n) }));
    await this.host.take({ ...NOTHING_ENDS, facts, upTo: stamp(this.#told) });
    const stored = numbers.map((n) => ({
      seq: n,
      fact: { tenantId: VIEW.tenantId, id: sampleId(n) },
      ...quantise(vectors[n] as Float32Array),
    }));
    await this.host.setVectors(this.#layer, stored);
  }

  save(files: SnapshotFiles): Promise<void> {
    return files.save(OWNER, (target) => this.host.write(target));
  }

  async #serve(): Promise<this> {
    const { layer, problem } = await this.host.openLayer({
      name: 'scripted',
      embedder: 'scripted',
      dimensions: DIMENSIONS,
    });
    expect(problem).to.equal(undefined);
    this.#layer = layer;
    await this.host.serve([layer]);
    return this;
  }
}

const expectSame = async (one: LocalHost, other: LocalHost): Promise<void> => {
  expect(other.size).to.deep.equal(one.size);
  for (const query of ['word3', 'word5 of 450', 'of 7']) {
    const hits = await findWords(one, query, VIEW, 50);
    expect(hits).not.to.be.empty;
    expect(await findWords(other, query, VIEW, 50)).to.deep.equal(hits);
  }
  for (const n of [3, 399, 450]) {
    const hits = await findNear(one, vectors[n] as Float32Array, -1, VIEW, 20);
    expect(await findNear(other, vectors[n] as Float32Array, -1, VIEW, 20)).to.deep.equal(hits);
  }
  const ofEntity = { ...VIEW, entityKey: 'user:3' };
  expect(await findNewest(other, ofEntity, 50)).to.deep.equal(await findNewest(one, ofEntity, 50));
};

describe('a snapshot of the search index that is extended by additions', () => {
  let folder: string;
  let files: SnapshotFiles;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'growing-snapshot-'));
    files = new SnapshotFiles(folder, createSeededRandom(), plainFiles);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const snapshotNames = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith('.snapshot')).sort();
  const sizeOf = async (name: string): Promise<number> => (await stat(join(folder, name))).size;
  const [INDEX, VECTORS] = [0, 1];

  it('is extended by the index that wrote it, and by an index that was restored from it', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    const names = await snapshotNames();
    const before = await sizeOf(names[INDEX] as string);
    await writing.tell(FEW);
    await writing.save(files);
    expect(await snapshotNames()).to.deep.equal(names);
    const added = (await sizeOf(names[INDEX] as string)) - before;
    expect(added).to.be.within(1, before / 2);
    const reading = await new Teller().read(files);
    await expectSame(writing.host, reading.host);
    await Promise.all([writing.tell(20), reading.tell(20)]);
    await reading.save(files);
    expect(await snapshotNames()).to.deep.equal(names);
    await expectSame(writing.host, (await new Teller().read(files)).host);
  });

  it('holds times to live that were replaced before and after the last save', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    const lives = [100, 900, 400].map((expiresMs, at) => {
      const since = stamp(MANY + 1 + at);
      return { tenantId: VIEW.tenantId, factId: sampleId(3), expiresMs, hlc: since, since };
    });
    const found = async (host: LocalHost, at: number, nowMs: number): Promise<boolean> =>
      idsOf(await findNewest(host, { ...VIEW, entityKey: 'user:3', asOf: stamp(MANY + 1 + at), nowMs }, 50)).includes(
        sampleId(3),
      );
    for (const [at, life] of lives.entries()) {
      const formerExpiries = lives.slice(0, at);
      const upTo = life.since;
      await writing.host.take({ ...NOTHING_ENDS, facts: [], expiries: [life], formerExpiries, upTo });
      await writing.save(files);
      const reading = await new Teller().read(files);
      for (const host of [writing.host, reading.host]) {
        for (const [then, { expiresMs }] of lives.slice(0, at + 1).entries()) {
          expect(await found(host, then, expiresMs - 1)).to.equal(true);
          expect(await found(host, then, expiresMs)).to.equal(false);
        }
      }
    }
  });

  it('is rewritten when most of it consists of additions', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    const [index] = await snapshotNames();
    await writing.tell(MANY);
    await writing.save(files);
    const names = await snapshotNames();
    expect(names).to.have.length(2);
    expect(names).not.to.include(index);
    await expectSame(writing.host, (await new Teller().read(files)).host);
  });

  it('is only extended when the process ends, even if most of it is additions', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    const names = await snapshotNames();
    await writing.tell(MANY);
    await files.save(OWNER, (target) => writing.host.write(target), { isHasty: true });
    expect(await snapshotNames()).to.deep.equal(names);
    await expectSame(writing.host, (await new Teller().read(files)).host);
  });

  it('remains valid if the process is killed during an extension', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    const names = await snapshotNames();
    const manifest = await readFile(join(folder, 'manifest.json'));
    const kept = await new Teller().read(files);
    // Some or all bytes of both files were written, but not the manifest.
    const copy = await mkdtemp(join(tmpdir(), 'killed-snapshot-'));
    try {
      await writing.tell(FEW);
      await writing.save(files);
      await cp(folder, copy, { recursive: true });
      const killed = new SnapshotFiles(copy, createSeededRandom(), plainFiles);
      await writeFile(join(copy, 'manifest.json'), manifest);
      for (const name of names) await appendFile(join(copy, name), 'half a frame');
      const again = await new Teller().read(killed);
      await expectSame(kept.host, again.host);
      await again.tell(FEW);
      await again.save(killed);
      await expectSame(writing.host, (await new Teller().read(killed)).host);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  });

  it('is hidden on a sealed node, and is neither read with another seal nor in the clear', async () => {
    const seal = fixedContentSeal();
    const seals: PluginFiles = {
      isSealing: true,
      seal: (name, bytes) => seal.sealBytes({ tenantId: null, name }, bytes),
      open: (name, bytes) => seal.openBytes({ tenantId: null, name }, bytes),
    };
    const clear = await new Teller().open();
    await clear.tell(FEW);
    await clear.save(files);
    const sealed = new SnapshotFiles(folder, createSeededRandom(), seals);
    expect(await sealed.find(OWNER)).to.equal(undefined);
    expect(await snapshotNames()).to.deep.equal([]);
    for (const size of [MANY, FEW]) {
      await clear.tell(size);
      await clear.save(sealed);
    }
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name), 'latin1');
      expect(bytes).to.not.match(/user:|tenants|dimensions/);
    }
    const read = await new Teller().read(sealed);
    await expectSame(clear.host, read.host);
    const names = await snapshotNames();
    await Promise.all([clear.tell(FEW), read.tell(FEW)]);
    // An index that was read writes another file, so that no place of a file is written twice.
    await read.save(sealed);
    for (const name of await snapshotNames()) expect(names).not.to.include(name);
    await expectSame(clear.host, (await new Teller().read(sealed)).host);
    const lost = (): never => {
      throw new ServiceError('unavailable', 'this key is gone');
    };
    expect(await new SnapshotFiles(folder, createSeededRandom(), { ...seals, open: lost }).find(OWNER)).to.equal(
      undefined,
    );
  });

  it('is not extended by an index that read an older one; that index writes its own', async () => {
    const first = await new Teller().open();
    await first.tell(MANY);
    await first.save(files);
    const second = await new Teller().read(files);
    await first.tell(FEW);
    await first.save(files);
    const names = await snapshotNames();
    await second.tell(FEW);
    await second.save(files);
    const [index, other] = await snapshotNames();
    expect(names).not.to.include.oneOf([index, other]);
    await expectSame(first.host, (await new Teller().read(files)).host);
  });

  it('is rewritten after a write that failed', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    await writing.tell(FEW);
    const failing = writing.host.write({
      fresh: { index: join(folder, 'no', 'where'), vectors: join(folder, 'no', 'where') },
      isHasty: false,
    });
    await failing.then(
      () => expect.fail('it was written'),
      () => {},
    );
    await writing.tell(20);
    await writing.save(files);
    await expectSame(writing.host, (await new Teller().read(files)).host);
  });

  it('contains the present value of vectors that have changed since', async () => {
    const writing = await new Teller().open();
    await writing.tell(MANY);
    await writing.save(files);
    const names = await snapshotNames();
    const before = await sizeOf(names[VECTORS] as string);
    const fact = { tenantId: VIEW.tenantId, id: sampleId(2) };
    const moved = vectors[MANY + 1] as Float32Array;
    await writing.host.setVectors(1, [{ seq: MANY + 1, fact, ...quantise(moved) }]);
    await writing.save(files);
    expect(await sizeOf(names[VECTORS] as string)).to.be.above(before);
    const read = await new Teller().read(files);
    expect(idsOf(await findNear(read.host, moved, 0.95, VIEW, 5))).to.deep.equal([sampleId(2)]);
    expect(read.host.size).to.deep.equal(writing.host.size);
  });
});
