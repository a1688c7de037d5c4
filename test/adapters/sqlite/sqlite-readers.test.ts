import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { loadSqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';
import { all } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { createFailingDriver, IOERR } from './failing-driver.ts';
import { createTemporaryStore } from './temporary-store.ts';

const IS_LONG = process.env['SVC_TEST_LONG'] === '1';
const PARALLEL = 100;
const READS = IS_LONG ? 10_000 : 1_000;
/** 32 readers, the writer, and the connection that watches for commits; each has the file and its log open. */
const MOST_DESCRIPTORS = 34 * 2 + 1;
const TWELFTHS_OF_AN_HOUR = 12;
const FIVE_MINUTES_MS = 300_000;

/** Returns the number of open descriptors of the files of a store; 0 on systems that do not list them. */
const descriptorsOf = async (path: string): Promise<number> => {
  const folder = '/proc/self/fd';
  if (!existsSync(folder)) return 0;
  const file = await realpath(path);
  return readdirSync(folder).filter((name) => linkOf(`${folder}/${name}`).startsWith(file)).length;
};

/** A descriptor may be closed since the folder was listed. */
const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

const inParallel = async (read: () => Promise<unknown>, count: number): Promise<void> => {
  for (let done = 0; done < count; done += PARALLEL) await Promise.all(Array.from({ length: PARALLEL }, read));
};

describe('the readers of an SQLite store', () => {
  it(`are reused by ${READS} parallel reads, and none is closed before the store`, async () => {
    const driver = loadSqliteDriver();
    let [opened, closed] = [0, 0];
    const counting = {
      ...driver,
      open: (path: string) => {
        opened += 1;
        const database = driver.open(path);
        const close = database.close.bind(database);
        return Object.assign(database, {
          close: () => {
            closed += 1;
            close();
          },
        });
      },
    };
    const { store, path, stop } = await createTemporaryStore({ driver: counting });
    try {
      await store.migrate(CORE_MIGRATIONS);
      await storeFacts(store, [sampleFact(1)]);
      const read = () =>
        store.read(async (snapshot) => {
          await new Promise((resolve) => setImmediate(resolve));
          return snapshot.count(all());
        });
      await inParallel(read, READS);
      expect({ closed, isBounded: opened <= 34 }).to.deep.equal({ closed: 0, isBounded: true });
      expect(await descriptorsOf(path)).to.be.at.most(MOST_DESCRIPTORS);
    } finally {
      await stop();
    }
    expect(closed).to.equal(opened);
  });

  it('stay open when a rollback fails, and serve the next read', async () => {
    const driver = createFailingDriver();
    const { store, path, stop } = await createTemporaryStore({ driver });
    try {
      await store.migrate(CORE_MIGRATIONS);
      const read = () => store.read((snapshot) => snapshot.count(all())).catch(() => undefined);
      await read();
      const before = await descriptorsOf(path);
      driver.fail(IOERR, (sql) => /^(BEGIN|ROLLBACK|SELECT)/.test(sql));
      for (let at = 0; at < 50; at += 1) await read();
      expect(await descriptorsOf(path)).to.equal(before);
      driver.fail(undefined);
      expect(await read()).to.equal(0);
    } finally {
      await stop();
    }
  });

  it('open no more descriptors in an hour of use than in five minutes', async () => {
    const node = await startTestNode({ store: 'sqlite', plugins: ['facts', 'conflicts', 'jobs'] });
    try {
      const key = await node.addKey();
      const path = `${node.folder}/node.db`;
      const fiveMinutesOfUse = async (): Promise<void> => {
        await Promise.all(
          Array.from({ length: 24 }, async () => {
            const { status } = await node.request('GET', '/v1/facts?limit=1', { key });
            expect(status).to.equal(200);
          }),
        );
        await node.clock.advance(FIVE_MINUTES_MS);
      };
      await fiveMinutesOfUse();
      const early = await descriptorsOf(path);
      for (let part = 1; part < TWELFTHS_OF_AN_HOUR; part += 1) await fiveMinutesOfUse();
      expect(await descriptorsOf(path)).to.be.at.most(Math.max(early, MOST_DESCRIPTORS));
    } finally {
      await node.stop();
    }
  });
});
