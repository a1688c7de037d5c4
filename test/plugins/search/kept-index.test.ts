import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bytesIn } from '../../../plugins/search/snapshot/byte-source.ts';
import { FrameReader, FrameWriter } from '../../../plugins/search/snapshot/snapshot-frames.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { beginEpoch } from '../../kit/fact-samples.ts';
import { forEachLayout } from '../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search'];
/** A number of facts whose vectors alone make a snapshot worthwhile when the node stops. */
const FACTS = 1_100;
/** A number of facts that makes a snapshot worthwhile while the node runs. */
const MANY_FACTS = 2_600;
const BATCH = 400;
const SAVE_INTERVAL_MS = 30_000;
const WORDS = ['harbour', 'lantern', 'orchard', 'violin', 'glacier', 'pepper', 'saddle', 'compass'];
const UP_TO_DATE = 'the search index is up to date';
const VECTORS_UNUSABLE = 'the snapshot of vectors cannot be used; they are read from the store';
const QUERIES = [
  { query: 'lantern of the harbour 17' },
  { query: 'educaton counseling', weights: { vector: 1 } },
  { entity: 'crate:40' },
];

const wordAt = (n: number): string => WORDS[n % WORDS.length] as string;

/** Returns the text of a fact, of which one is unique. */
const textAt = (n: number): string =>
  n === 300 ? 'she studied counselling and education' : `${wordAt(n)} and ${wordAt(n * 3 + (n >> 4))} of box ${n}`;

const factAt = (n: number) => ({
  entity: `crate:${n}`,
  relation: 'memory:note',
  value: { type: 'text', v: textAt(n) },
  source: 'agent:s',
});

forEachLayout('a snapshot of the search index on disk', (store) => {
  let folder: string;
  let key: string;
  /** The answers of the node that wrote the snapshot. */
  let expected: readonly string[];
  let node: TestNode | undefined;

  const start = async (snapshotFolder: string): Promise<TestNode> => {
    node = await startTestNode({
      plugins: PLUGINS,
      folder,
      settings: { search: { snapshotFolder } },
    });
    return node;
  };
  const lineOf = (started: TestNode, message: string) => started.logLines.find((line) => line.message === message);
  /** Returns the scores of the stages, without recall counts and times, which are not in the index. */
  const answers = async (started: TestNode): Promise<string[]> => {
    const found: string[] = [];
    for (const query of QUERIES) {
      const body = { token_budget: 20_000, lambda_mmr: 1, limit: 500, ...query };
      const reply = await started.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      for (const { fact, score_breakdown: parts } of reply.body.facts) {
        found.push(`${fact.entity} ${parts.lexical} ${parts.semantic} ${parts.graph}`);
      }
    }
    return found.sort();
  };
  const isUpToDate = async (started: TestNode): Promise<number> => {
    await comesTrue(() => lineOf(started, UP_TO_DATE) !== undefined);
    return Number(lineOf(started, UP_TO_DATE)?.fields['restored']);
  };
  /** Copies the intact files, for a test to damage. */
  const copyOfFiles = async (): Promise<string> => {
    const copy = await mkdtemp(join(folder, 'files-'));
    await cp(join(folder, 'good'), copy, { recursive: true });
    return copy;
  };
  const fileOf = async (files: string, ending: string): Promise<string> => {
    const name = (await readdir(files)).find((file) => file.endsWith(ending));
    return join(files, String(name));
  };

  before(async function () {
    this.timeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'kept-index-'));
    const first = await start(join(folder, 'good'));
    key = await first.addKey();
    await storeMany(first, key, FACTS);
    // Embedding pauses during other work, such as this test.
    await comesTrue(async () => {
      await first.clock.advance(2_000);
      return (await countOf(first.kernel.get(FactStore), 'search_vectors')) === FACTS;
    });
    await comesTrue(async () => (await answers(first)).some((found) => found.startsWith('crate:300 ')));
    expected = await answers(first);
    await first.stop();
  });
  afterEach(() => node?.stop());
  after(() => rm(folder, { recursive: true, force: true }));

  it('is readable only by its owner, and older files are removed', async () => {
    const files = await readdir(join(folder, 'good'));
    expect(files.map((file) => file.replace(/^[0-9a-f-]{36}/, '')).sort()).to.deep.equal([
      '-index.snapshot',
      '-vectors.snapshot',
      'manifest.json',
    ]);
    for (const file of files) expect((await stat(join(folder, 'good', file))).mode & 0o777, file).to.equal(0o600);
  });

  it('restores the index at the next start, with the same answers', async () => {
    const started = await start(await copyOfFiles());
    expect(await answers(started)).to.deep.equal(expected);
    expect(await isUpToDate(started)).to.equal(FACTS);
    expect(started.logLines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
  });

  const spoilers: Readonly<Record<string, (files: string) => Promise<void>>> = {
    'whose manifest is gone': (files) => rm(join(files, 'manifest.json')),
    'whose manifest is no JSON': (files) => writeFile(join(files, 'manifest.json'), '{"nodeId":'),
    'whose manifest says nothing': (files) => writeFile(join(files, 'manifest.json'), 'null'),
    'of another node': (files) => edit(files, { nodeId: 'somebody-else' }),
    'of another past of the store': (files) => edit(files, { epoch: 'before' }),
    'whose manifest names no file': (files) => edit(files, { index: 17 }),
    'that is gone': async (files) => rm(await fileOf(files, '-index.snapshot')),
    'that is empty': async (files) => truncate(await fileOf(files, '-index.snapshot'), 0),
    'that was cut short': async (files) => halve(await fileOf(files, '-index.snapshot')),
    'in which bits have turned': async (files) => flip(await fileOf(files, '-index.snapshot')),
  };
  // The files are read alike on both engines; rebuilding the index reads the store.
  const whats = store === 'sqlite' ? Object.keys(spoilers) : ['that is gone', 'of another past of the store'];
  for (const what of whats) {
    it(`is discarded for a rebuilt index if it is ${what}`, async () => {
      const files = await copyOfFiles();
      await spoilers[what]?.(files);
      const started = await start(files);
      expect(await isUpToDate(started)).to.equal(0);
      expect(await answers(started)).to.deep.equal(expected);
      expect(started.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  }

  it('logs the reason if it is damaged', async () => {
    const files = await copyOfFiles();
    await halve(await fileOf(files, '-index.snapshot'));
    const started = await start(files);
    await isUpToDate(started);
    const message = 'the snapshot of the search index cannot be used; the index is built anew';
    expect(lineOf(started, message)?.level).to.equal('warn');
  });

  it('restores the words if its vectors are of another embedder, and reads vectors from the store', async () => {
    const files = await copyOfFiles();
    await edit(files, { vectors: { file: 'none', embedder: 'another', seq: 1_000_000 } });
    const started = await start(files);
    expect(await isUpToDate(started)).to.equal(FACTS);
    expect(await answers(started)).to.deep.equal(expected);
  });

  for (const [what, reason, spoil] of [
    ['cut short', 'it ends too early', (file: string) => halve(file)],
    ['damaged', 'it is damaged', (file: string) => flip(file)],
    ['gone', 'no such file', (file: string) => rm(file)],
    ['of another form', 'its vectors have another form', (file: string) => changeForm(file)],
  ] as const) {
    it(`restores the words if its vectors are ${what}, reads vectors from the store, and logs the reason`, async () => {
      const files = await copyOfFiles();
      await spoil(await fileOf(files, '-vectors.snapshot'));
      const started = await start(files);
      expect(await isUpToDate(started)).to.equal(FACTS);
      expect(await answers(started)).to.deep.equal(expected);
      await comesTrue(() => lineOf(started, VECTORS_UNUSABLE) !== undefined);
      expect(String(lineOf(started, VECTORS_UNUSABLE)?.fields['error'])).to.include(reason);
    });
  }

  it('gets a new file of vectors at the stop if the former file was removed', async () => {
    const files = await copyOfFiles();
    await rm(await fileOf(files, '-vectors.snapshot'));
    const started = await start(files);
    await isUpToDate(started);
    await started.stop();
    expect((await readdir(files)).map((file) => file.slice(36))).to.include('-vectors.snapshot');
  });

  it('is written while the node runs', async () => {
    const files = await mkdtemp(join(folder, 'resting-'));
    const filled = await startTestNode({ plugins: PLUGINS, settings: { search: { snapshotFolder: files } } });
    node = filled;
    await storeMany(filled, await filled.addKey(), MANY_FACTS);
    await comesTrue(async () => {
      await filled.clock.advance(SAVE_INTERVAL_MS);
      return (await readdir(files)).includes('manifest.json');
    });
  });

  it('may fail to be written without affecting the node', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const started = await start(blocked);
    expect(await isUpToDate(started)).to.equal(0);
    expect(await answers(started)).to.deep.equal(expected);
    await started.stop();
    expect(started.logLines.filter(({ level }) => level === 'warn' || level === 'error')).to.have.length(1);
  });

  it('is not written, without a warning, by a node that stops during a build', async () => {
    const started = await start(await mkdtemp(join(folder, 'none-')));
    await started.stop();
    // The pending read fails when the store has closed.
    for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(started.logLines.filter(({ level }) => level === 'warn' || level === 'error')).to.deep.equal([]);
  });

  it('is ignored after the store was reset to an earlier state', async () => {
    const files = await copyOfFiles();
    const marking = await start(files);
    await marking.kernel.get(FactStore).write('restored', (transaction) => beginEpoch(transaction, 'put-back'));
    await marking.stop();
    const started = await start(files);
    expect(await isUpToDate(started)).to.equal(0);
    expect(await answers(started)).to.deep.equal(expected);
  });
});

const storeMany = async (node: TestNode, key: string, count: number): Promise<void> => {
  for (let at = 0; at < count; at += BATCH) {
    const facts = Array.from({ length: Math.min(BATCH, count - at) }, (_, n) => factAt(at + n));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body: facts });
    expect(reply.status, reply.text.slice(0, 300)).to.be.within(200, 207);
  }
};

const countOf = async (store: FactStore, table: string): Promise<number> => {
  const [row] = await store.table(table).count({ n: '*' });
  return Number(row.n);
};

const edit = async (files: string, members: object): Promise<void> => {
  const path = join(files, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...manifest, ...members }));
};

/** Writes an intact first frame that names another number of bits. */
const changeForm = async (file: string): Promise<void> => {
  const bytes = await readFile(file);
  const { dimensions } = await new FrameReader(bytesIn(bytes)).json<{ readonly dimensions: number }>();
  bytes.set(new FrameWriter().json({ dimensions, bits: 8 }));
  await writeFile(file, bytes);
};

const halve = async (file: string): Promise<void> => truncate(file, Math.floor((await stat(file)).size / 2));

const flip = async (file: string): Promise<void> => {
  const bytes = await readFile(file);
  for (let at = bytes.length >> 1; at < (bytes.length >> 1) + 64; at += 1) bytes[at] = (bytes[at] as number) ^ 0xff;
  await writeFile(file, bytes);
};
