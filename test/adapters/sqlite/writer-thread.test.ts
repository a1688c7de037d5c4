import { execFile } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore, type WriteTransaction } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import { type Death, MortalWriters } from './mortal-writer.ts';
import { createTemporaryStore, type TemporaryStore } from './temporary-store.ts';

const EXITING = fileURLToPath(new URL('./exiting-process.js', import.meta.url));

const count = (store: FactStore): Promise<number> => store.read((snapshot) => snapshot.count(all()));

describe('a writer thread that ends unexpectedly', () => {
  let writers: MortalWriters;
  let temporary: TemporaryStore;
  let store: FactStore;
  beforeEach(async () => {
    writers = new MortalWriters();
    temporary = await createTemporaryStore({ writer: 'thread', startThread: writers.start });
    store = temporary.store;
    await store.migrate(CORE_MIGRATIONS);
    await storeFacts(store, [sampleFact(1)]);
  });
  afterEach(() => temporary.stop());

  const dying = async (death: Death, write: () => Promise<unknown>): Promise<Record<string, unknown>> => {
    writers.death = death;
    const error = await rejection(write());
    expect(error['hint']).to.be.a('string');
    return error;
  };

  it('fails the open write and stores nothing of it, and another thread takes the next write', async () => {
    const writes: readonly [Death, () => Promise<unknown>][] = [
      [{ at: 'begin', when: 'before' }, () => storeFacts(store, [sampleFact(2)])],
      [{ at: 'begin', when: 'after' }, () => storeFacts(store, [sampleFact(2)])],
      [{ at: 'perform', when: 'before' }, () => store.write('default', setName)],
      [{ at: 'perform', when: 'after' }, () => store.write('default', (tx) => setName(tx).catch(() => {}))],
      [{ at: 'begin', when: 'before' }, () => store.ping()],
    ];
    for (const [at, [death, write]] of writes.entries()) {
      expect(await dying(death, write), String(at)).to.include({ code: 'unavailable' });
      expect(writers.started).to.equal(at + 1);
      expect(await count(store)).to.equal(1 + at);
      await store.ping();
      await storeFacts(store, [sampleFact(10 + at)]);
      expect(writers.started).to.equal(at + 2);
    }
  });

  it('is followed by no thread on another file while the file of the store is moved', async () => {
    await dying({ at: 'begin', when: 'before' }, () => storeFacts(store, [sampleFact(2)]));
    renameSync(temporary.path, `${temporary.path}.away`);
    const { message } = await rejection(storeFacts(store, [sampleFact(3)]));
    expect(message).to.equal('the files of the store were moved, replaced or removed');
    expect([writers.started, existsSync(temporary.path)]).to.deep.equal([1, false]);
    renameSync(`${temporary.path}.away`, temporary.path);
    await storeFacts(store, [sampleFact(4)]);
    expect(await count(store)).to.equal(2);
  });

  it('leaves the outcome of a write unknown only when it ends during the commit', async () => {
    expect(await dying({ at: 'commit', when: 'before' }, () => storeFacts(store, [sampleFact(2)]))).to.include({
      code: 'commit_unknown',
    });
    expect(await count(store)).to.equal(1);
    expect(await dying({ at: 'commit', when: 'after' }, () => storeFacts(store, [sampleFact(2)]))).to.include({
      code: 'commit_unknown',
    });
    expect(await count(store)).to.equal(2);
    await storeFacts(store, [sampleFact(3)]);
    expect(await count(store)).to.equal(3);
  });

  it('still announces commits of other processes after its replacement', async () => {
    let heard = 0;
    store.onSignal('a', () => {
      heard += 1;
    });
    const other = await temporary.another();
    await dying({ at: 'begin', when: 'before' }, () => store.ping());
    await other.write('default', async (transaction) => transaction.signal('a'));
    const before = heard;
    await store.ping();
    await comesTrue(() => heard > before);
  });

  it('does not prevent the store from closing', async () => {
    await dying({ at: 'begin', when: 'before' }, () => store.ping());
    await store.close();
    expect(await rejection(store.ping())).to.include({ code: 'unavailable' });
    expect(await count(await temporary.another())).to.equal(1);
  });
});

const setName = async (transaction: WriteTransaction): Promise<void> => {
  await transaction.insert([sampleFact(2)]);
  await transaction.table('node_settings').update({ value: 'name' });
};

describe('a write in a separate thread', () => {
  let temporary: TemporaryStore;
  beforeEach(async () => {
    temporary = await createTemporaryStore({ writer: 'thread' });
    await temporary.store.migrate(CORE_MIGRATIONS);
  });
  afterEach(() => temporary.stop());

  it('reads the earlier state, and then its own changes', async () => {
    const { store } = temporary;
    await storeFacts(store, [sampleFact(1)]);
    const seen = await store.write('default', async (transaction) => {
      const counts = [await transaction.count(all())];
      for (const n of [2, 3]) {
        await transaction.insert([sampleFact(n)]);
        counts.push(await transaction.count(all()));
      }
      return counts;
    });
    expect(seen).to.deep.equal([1, 2, 3]);
  });

  it('lets other reads of the process run, which see its changes only after the commit', async () => {
    const { store } = temporary;
    await store.write('default', async (transaction) => {
      await transaction.insert(Array.from({ length: 600 }, (_, n) => sampleFact(n)));
      expect(await transaction.count(all())).to.equal(600);
      expect(await count(store)).to.equal(0);
    });
    expect(await count(store)).to.equal(600);
  });

  it('stores only the given part of a buffer', async () => {
    const { store } = temporary;
    const part = Buffer.from('a pool of bytes, of which a part is meant').subarray(2, 6);
    const row = await store.write('default', async (transaction) => {
      await transaction.table('node_settings').insert({ key: 'k', value: part });
      return transaction.table('node_settings').first('value');
    });
    expect(Buffer.from(row.value).toString()).to.equal('pool');
  });

  it('lets the process exit with the given code, and stores nothing of open transactions', async () => {
    const { path, store } = temporary;
    const exiting = await rejection(promisify(execFile)(process.execPath, [EXITING, path]));
    expect(exiting).to.include({ code: 3, stderr: '' });
    expect(await store.read((snapshot) => snapshot.select('node_settings', {}))).to.deep.equal([]);
    await storeFacts(store, [sampleFact(1)]);
  });
});
