import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { isObjectPath, type ObjectContent, type ObjectStore } from '../../ports/ports.ts';
import { rejection } from '../kit/rejection.ts';

/** The time limit of each test, because a store outside the process may need longer than mocha's two seconds. */
const TIME_LIMIT_MS = 60_000;
const MIB = 1024 * 1024;

/** An empty object store, with its end. */
export interface OpenedObjectStore {
  readonly store: ObjectStore;
  stop(): Promise<void>;
}

export const contentOf = (bytes: Uint8Array): ObjectContent => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  async *read() {
    // Uneven pieces, so that no store depends on the size of a piece.
    for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
  },
});

export const bytesOf = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const allOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
};

/** The contract of every object store. `open` returns an empty one. */
export const describeObjectStore = (name: string, open: () => Promise<OpenedObjectStore>): void => {
  describe(`object store: ${name}`, function () {
    this.timeout(TIME_LIMIT_MS);
    let opened: OpenedObjectStore;
    let store: ObjectStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.stop());
    const paths = async (prefix = ''): Promise<string[]> =>
      (await allOf(store.list(prefix))).map(({ path }) => path).sort();

    for (const bytes of [0, 1, 100_000, 20 * MIB + 17]) {
      it(`returns ${bytes} bytes as they were written, from the beginning and from the middle`, async () => {
        const written = randomBytes(bytes);
        const seen: number[] = [];
        await store.write('one/file.bin', contentOf(written), { onProgress: (done) => seen.push(done) });
        expect((await bytesOf(store.read('one/file.bin'))).equals(written)).to.equal(true);
        if (bytes > 1) {
          const half = Math.floor(bytes / 2);
          expect((await bytesOf(store.read('one/file.bin', half))).equals(written.subarray(half))).to.equal(true);
        }
        const listed = (await allOf(store.list(''))).map((one) => [one.path, one.bytes]);
        expect(listed).to.deep.equal([['one/file.bin', bytes]]);
        if (bytes > 0) expect(seen.at(-1)).to.equal(bytes);
        expect(await allOf(store.unfinished(''))).to.deep.equal([]);
      });
    }

    it('lists objects below a prefix, over several pages', async () => {
      for (const path of ['a/1', 'a/2', 'a/3', 'ab/1', 'b/1']) await store.write(path, contentOf(Buffer.from(path)));
      expect(await paths()).to.deep.equal(['a/1', 'a/2', 'a/3', 'ab/1', 'b/1']);
      expect(await paths('a/')).to.deep.equal(['a/1', 'a/2', 'a/3']);
      expect(await paths('c')).to.deep.equal([]);
    });

    it('replaces an object', async () => {
      await store.write('a/1', contentOf(Buffer.from('first, and longer')));
      await store.write('a/1', contentOf(Buffer.from('second')));
      expect(String(await bytesOf(store.read('a/1')))).to.equal('second');
    });

    it('removes an object, and does nothing for a missing one', async () => {
      await store.write('a/1', contentOf(Buffer.from('one')));
      await store.write('a/2', contentOf(Buffer.from('two')));
      await store.remove('a/1');
      await store.remove('a/1');
      expect(await paths()).to.deep.equal(['a/2']);
      expect(await store.lockOf('a/1')).to.equal(null);
      expect(await rejection(bytesOf(store.read('a/1')))).to.include({ code: 'lookup' });
    });

    it('stores no content that does not match its digest', async () => {
      for (const bytes of [1_000, 20 * MIB]) {
        const content = { ...contentOf(randomBytes(bytes)), sha256: '0'.repeat(64) };
        expect(await rejection(store.write('a/1', content))).to.include({ code: 'conflict' });
        expect(await paths()).to.deep.equal([]);
        expect(await allOf(store.unfinished(''))).to.deep.equal([]);
      }
    });

    it('resumes an interrupted write, and detects when the content has changed', async () => {
      const written = randomBytes(20 * MIB);
      const broken = (bytes: Buffer): ObjectContent => ({
        ...contentOf(bytes),
        async *read() {
          yield bytes.subarray(0, 18 * MIB);
          throw new Error('the disk is gone');
        },
      });
      expect(await rejection(store.write('a/1', broken(written)))).to.include({ message: 'the disk is gone' });
      expect(await paths()).to.deep.equal([]);
      expect(await allOf(store.unfinished(''))).to.deep.equal(['a/1']);
      await store.write('a/1', contentOf(written));
      expect((await bytesOf(store.read('a/1'))).equals(written)).to.equal(true);
      expect(await allOf(store.unfinished(''))).to.deep.equal([]);
      await rejection(store.write('a/2', broken(randomBytes(20 * MIB))));
      await store.write('a/2', contentOf(written));
      expect((await bytesOf(store.read('a/2'))).equals(written)).to.equal(true);
    });

    it('aborts a write by its signal, and deletes the partial object with `remove`', async () => {
      const given = new AbortController();
      const content = contentOf(randomBytes(20 * MIB));
      const aborted: ObjectContent = {
        ...content,
        async *read() {
          let bytes = 0;
          for await (const chunk of content.read()) {
            bytes += chunk.length;
            if (bytes > 18 * MIB) given.abort();
            yield chunk;
          }
        },
      };
      expect(await rejection(store.write('a/1', aborted, { signal: given.signal }))).to.include({
        name: 'AbortError',
      });
      expect(await allOf(store.unfinished(''))).to.deep.equal(['a/1']);
      await store.remove('a/1');
      expect(await allOf(store.unfinished(''))).to.deep.equal([]);
      expect(await paths()).to.deep.equal([]);
    });

    it('refuses paths that lead out of the store', async () => {
      for (const path of ['../a', 'a/../b', '/a', 'a//b', '', 'a/.b', 'a\\b', 'a b', `a/${'x'.repeat(152)}`]) {
        expect(isObjectPath(path), path).to.equal(false);
        await rejection(store.write(path, contentOf(Buffer.from('x'))));
        await rejection(bytesOf(store.read(path)));
        await rejection((async () => store.remove(path))());
      }
      expect(await paths()).to.deep.equal([]);
    });
  });
};
