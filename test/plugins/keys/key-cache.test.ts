import { expect } from 'chai';
import { KEY_CACHE_MS, KeyCache } from '../../../plugins/keys/key-cache.ts';

interface Read {
  readonly digest: string;
  answer(value: string | undefined): void;
  fail(error: Error): void;
}

const openCache = () => {
  const reads: Read[] = [];
  let nowMs = 0;
  const cache = new KeyCache<string>(
    (digest) =>
      new Promise((answer, fail) => {
        reads.push({ digest, answer, fail });
      }),
    () => nowMs,
  );
  return {
    cache,
    reads,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
};

describe('the cache of keys', () => {
  it('serves a fresh entry without a read, and reads again after it expires', async () => {
    const { cache, reads, wait } = openCache();
    const first = cache.get('a');
    reads[0]?.answer('one');
    expect(await first).to.equal('one');
    wait(KEY_CACHE_MS - 1);
    expect(cache.get('a')).to.equal('one');
    wait(1);
    const again = cache.get('a');
    expect(reads).to.have.length(2);
    reads[1]?.answer('two');
    expect(await again).to.equal('two');
  });

  it('measures the age of an entry from the start of the read', async () => {
    const { cache, reads, wait } = openCache();
    const slow = cache.get('a');
    wait(KEY_CACHE_MS);
    reads[0]?.answer('one');
    await slow;
    void cache.get('a');
    expect(reads).to.have.length(2);
  });

  it('shares one read among simultaneous requests', async () => {
    const { cache, reads } = openCache();
    const answers = [cache.get('a'), cache.get('a'), cache.get('b')];
    expect(reads.map(({ digest }) => digest)).to.deep.equal(['a', 'b']);
    for (const read of reads) read.answer(read.digest);
    expect(await Promise.all(answers)).to.deep.equal(['a', 'a', 'b']);
  });

  it('does not use a read that began before the cache was cleared', async () => {
    const { cache, reads } = openCache();
    const before = cache.get('a');
    cache.clear();
    const after = cache.get('a');
    expect(reads).to.have.length(2);
    reads[1]?.answer('new');
    expect(await after).to.equal('new');
    reads[0]?.answer('old');
    expect(await before).to.equal('old');
    expect(cache.get('a')).to.equal('new');
  });

  it('stores neither an unknown key nor a failure', async () => {
    const { cache, reads } = openCache();
    const unknown = cache.get('a');
    reads[0]?.answer(undefined);
    expect(await unknown).to.equal(undefined);
    const failing = Promise.resolve(cache.get('a')).catch((error: Error) => error.message);
    reads[1]?.fail(new Error('gone'));
    expect(await failing).to.equal('gone');
    const found = cache.get('a');
    reads[2]?.answer('one');
    expect(await found).to.equal('one');
  });
});
