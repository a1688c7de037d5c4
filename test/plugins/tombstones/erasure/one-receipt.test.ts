import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ERASURE_START } from '../../../../kernel/internal-api.ts';
import { sealJson } from '../../../../kernel/plugin-api.ts';
import { FactStore, ServiceError } from '../../../../ports/ports.ts';
import { createManualClock, type ManualClock } from '../../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode } from './erasure-node.ts';
import { findTraces } from './find-traces.ts';

/** A store that takes nothing more as soon as the journal is there, as for a process that is killed then. */
const lostAfter = (journal: string, inner: FactStore): FactStore =>
  new Proxy(inner, {
    get(store, name) {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name !== 'write' || !existsSync(journal)) return member.apply(store, args);
        return Promise.reject(new ServiceError('unavailable', 'the process is gone'));
      };
    },
  });

/** A store that runs the work once, before its first scrub. */
const beforeScrub = (work: () => Promise<void>, inner: FactStore): FactStore => {
  let isDone = false;
  return new Proxy(inner, {
    get(store, name) {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== 'function') return member;
      if (name !== 'scrub' || isDone) return member.bind(store);
      return async () => {
        isDone = true;
        await work();
        return store.scrub();
      };
    },
  });
};

forEachStore('an erasure that another process begins again while this one ends it', (kind) => {
  let at: ErasureNode;
  afterEach(() => at.remove());

  it('destroys the facts that came later before it ends', async () => {
    const beginAgain = async (): Promise<void> => {
      await at.say('later');
      await at.node.kernel
        .get(FactStore)
        .table('tombstones_erasures')
        .update({ state: 'running', position: sealJson(ERASURE_START), receipt: sealJson(null), touched_ms: 0 });
    };
    at = await ErasureNode.start(kind, { wrapStore: (store) => beforeScrub(beginAgain, store) });
    await at.say('first');
    await at.erase(await at.tombstone());
    expect(await findTraces(at.node.kernel.get(FactStore), undefined, ['later'])).to.deep.equal([]);
  });
});

forEachStore('an erasure that was interrupted between its journal and its end', (kind) => {
  let at: ErasureNode;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = createManualClock();
    at = await ErasureNode.start(kind, { clock });
  });
  afterEach(() => at.remove());

  const journal = () => join(at.folder, 'erasures.jsonl');
  const receipts = (): string[] =>
    readFileSync(journal(), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).receipt.id);
  const backUp = async (): Promise<void> => {
    const { job_id: job } = await at.post('/v1/backups', {}, 202);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await at.get(`/v1/jobs/${job}`)).status === 'done';
    });
  };

  it('has one receipt, and counts once for an earlier backup', async () => {
    await at.say('to be erased');
    const id = await at.tombstone();
    await backUp();
    await at.end();
    await at.start({ clock, random: createSeededRandom(2), wrapStore: (store) => lostAfter(journal(), store) });
    await at.erase(id, {}, 503);
    await at.end();
    await at.start({ clock, random: createSeededRandom(3) });
    const receipt = await at.erase(id);
    expect(receipts()).to.deep.equal([receipt.id, receipt.id]);
    expect((await at.get('/v1/backups')).backups[0].erasures_since).to.equal(1);
  });
});

forEachStore('a data folder without the erasures of other hosts', (kind) => {
  let at: ErasureNode;
  beforeEach(async () => {
    at = await ErasureNode.start(kind);
  });
  afterEach(() => at.remove());

  it('gets them at the start of its node, once', async () => {
    await at.say('to be erased');
    await at.erase(await at.tombstone({ reason: 'asked for' }));
    const journal = join(at.folder, 'erasures.jsonl');
    const written = readFileSync(journal, 'utf8');
    rmSync(journal);
    for (const seed of [2, 3]) {
      await at.end();
      await at.start({ random: createSeededRandom(seed) });
      expect(JSON.parse(readFileSync(journal, 'utf8')), `start ${seed}`).to.deep.equal(JSON.parse(written));
    }
  });
});
