import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { assembleFile } from '../../../adapters/sqlite/assemble-file.ts';
import { ChainStateFile, takeChain } from '../../../adapters/sqlite/chain-state.ts';
import type { IncrementFile } from '../../../ports/ports.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const LIMIT_MS = 180_000;
const HOUR_MS = 3_600_000;
const PROGRAM = fileURLToPath(new URL('../../../adapters/sqlite/record-worker.js', import.meta.url));
const BASE = /^0000000000-/;

describe('a recording of changes that begins again', () => {
  let folder: string;
  let database: InstanceType<typeof DatabaseSync>;
  let commits: number;
  /** The digest of the rows after each commit. */
  let states: string[];
  let kill: () => Promise<void>;
  /** When each commit was over, in milliseconds since the epoch. */
  let committedMs: number[];
  const at = (...names: string[]): string => join(folder, ...names);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'resumed-'));
    for (const name of ['store', 'spool', 'target']) mkdirSync(at(name));
    commits = 0;
    states = [''];
    kill = async () => {};
    committedMs = [0];
    open();
    database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX texts ON things (text)');
    database.exec('CREATE TABLE counts (commits INTEGER); INSERT INTO counts VALUES (0)');
    states[0] = rowsIn(database);
  });
  afterEach(async () => {
    await kill();
    database.close();
    rmSync(folder, { recursive: true });
  });

  const open = (): void => {
    database = new DatabaseSync(at('store', 'svc.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 40; PRAGMA busy_timeout = 5000');
  };
  const rowsIn = (from: InstanceType<typeof DatabaseSync>): string =>
    createHash('sha256')
      .update(JSON.stringify(from.prepare('SELECT id, text FROM things ORDER BY id').all()))
      .digest('hex');
  const write = (random: () => number): void => {
    commits += 1;
    database.exec(`BEGIN; UPDATE counts SET commits = ${commits}`);
    const insert = database.prepare('INSERT INTO things (text) VALUES (?)');
    const rows = random() < 0.1 ? 200 : 4;
    for (let row = 0; row < rows; row += 1) insert.run(`thing ${commits} ${row} ${'x'.repeat(random() * 400)}`);
    if (random() < 0.2) database.exec(`DELETE FROM things WHERE id % 3 = ${commits % 3}`);
    database.exec('DELETE FROM things WHERE id < (SELECT max(id) FROM things) - 500');
    database.exec('COMMIT');
    states[commits] = rowsIn(database);
    committedMs[commits] = Date.now();
    if (random() < 0.05) database.exec('VACUUM');
  };
  /** Starts the program. Moves each increment to the target while `isSending` returns true, in their order. */
  const record = (chain: string, isSending: () => boolean, onSent: (increment: IncrementFile) => void = () => {}) => {
    const worker = fork(PROGRAM, [at('store', 'svc.db'), at('spool'), chain, '30'], { env: {}, execArgv: [] });
    const waiting: IncrementFile[] = [];
    worker.on('message', (increment: IncrementFile) => {
      waiting.push(increment);
      for (let next = waiting[0]; next !== undefined && isSending(); next = waiting[0]) {
        mkdirSync(at('target', next.chain), { recursive: true });
        renameSync(at('spool', next.chain, next.name), at('target', next.chain, next.name));
        waiting.shift();
        onSent(next);
      }
    });
    const exit = once(worker, 'exit');
    kill = async () => {
      if (worker.exitCode === null && worker.signalCode === null) worker.kill('SIGKILL');
      await exit;
    };
    return { stop: () => worker.send('stop'), exit };
  };
  const sentTo = (chain: string): string[] =>
    existsSync(at('target', chain)) ? readdirSync(at('target', chain)).sort() : [];
  /** Returns the number of the last commit that the target has, after a look at every row. */
  const restored = async (chain: string): Promise<number> => {
    const into = mkdtempSync(at('copy-'));
    const increments = async function* () {
      for (const name of sentTo(chain)) yield { name, content: createReadStream(at('target', chain, name)) };
    };
    await assembleFile({ chain, increments: increments(), untilMs: Number.MAX_SAFE_INTEGER, folder: into });
    const copy = new DatabaseSync(join(into, 'store.db'));
    const [row] = copy.prepare('SELECT commits FROM counts').all() as { readonly commits: number }[];
    const commit = row?.commits ?? -1;
    expect(rowsIn(copy), `commit ${commit}`).to.equal(states[commit]);
    const [check] = copy.prepare('PRAGMA integrity_check').all();
    expect(check).to.deep.equal({ integrity_check: 'ok' });
    copy.close();
    rmSync(into, { recursive: true });
    return commit;
  };
  const randomBy = (seed: number) => (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  /** Sends a base, with some commits after it, and ends the recording. */
  const recordOnce = async (chain: string): Promise<void> => {
    let sent = 0;
    const { stop, exit } = record(
      chain,
      () => true,
      () => {
        sent += 1;
      },
    );
    await waitUntil('an increment follows the first', LIMIT_MS, () => {
      write(randomBy(commits + 1));
      return sent > 1;
    });
    stop();
    await exit;
  };

  for (const seed of [11, 12, 13, 14]) {
    it(`loses nothing that was sent to kills at any moment, and needs no other base (seed ${seed})`, async () => {
      const random = randomBy(seed);
      await recordOnce('one');
      for (let round = 0; round < 12; round += 1) {
        const sends = random() < 0.8;
        const most = Math.floor(random() * 6);
        let sent = 0;
        let sure = commits;
        let isResumed = false;
        const beginMs = Date.now();
        record(
          `round-${round}`,
          () => sends || sent === 0,
          (increment) => {
            sent += 1;
            isResumed ||= increment.isResumed && increment.untilMs >= beginMs;
          },
        );
        const killAt = performance.now() + random() * 400;
        do {
          await wait(random() * 10);
          write(random);
        } while (performance.now() < killAt && sent <= most);
        await kill();
        // A stop of the node moves the log into the file. Another program may write before the next start.
        const ends = random() < 0.4;
        if (ends) database.close();
        if (ends) open();
        if (random() < 0.3) write(random);
        // A resumed increment holds every commit before its recording. Others hold those before the previous one.
        if (!isResumed) sure = 0;
        const beforeMs = Number(sentTo('one').at(-2)?.split('-')[1]);
        sure = Math.max(
          sure,
          committedMs.findLastIndex((ms) => ms < beforeMs),
        );
        expect(await restored('one')).to.be.at.least(sure);
      }
      await recordOnce('last');
      expect(await restored('one')).to.equal(commits);
      expect(readdirSync(at('target')), 'one chain has gone on').to.deep.equal(['one']);
      expect(sentTo('one').filter((name) => BASE.test(name))).to.have.length(1);
    }).timeout(LIMIT_MS);
  }

  it('sends first what the former one could not send', async () => {
    await recordOnce('one');
    const held = record('two', () => false);
    const spooled = (): string[] => readdirSync(at('spool', 'one')).filter((name) => /^\d+-/.test(name));
    await waitUntil('increments wait', LIMIT_MS, () => {
      write(randomBy(commits + 1));
      return spooled().length > 2;
    });
    await kill();
    await held.exit;
    const waiting = spooled();
    const known = sentTo('one');
    await recordOnce('three');
    expect(sentTo('one')).to.include.members([...known, ...waiting.slice(0, 2)]);
    expect(await restored('one')).to.equal(commits);
  }).timeout(LIMIT_MS);

  const spoil: Readonly<Record<string, () => void>> = {
    'its file was copied': () => {
      copyFileSync(at('store', 'svc.db'), at('store', 'copy.db'));
      renameSync(at('store', 'copy.db'), at('store', 'svc.db'));
    },
    'the state of the chain is missing': () => rmSync(at('spool', 'one', 'state')),
    'the state of the chain is damaged': () => {
      const bytes = readFileSync(at('spool', 'one', 'state'));
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      writeFileSync(at('spool', 'one', 'state'), bytes);
    },
    'an increment that was never sent is missing': () => {
      const state = readFileSync(at('spool', 'one', 'state'));
      const name = /"name":"(0{9}1-\d+)"/.exec(state.toString('latin1'))?.[1] ?? '';
      writeFileSync(at('spool', 'one', name), 'shorter');
    },
  };
  for (const [fault, harm] of Object.entries(spoil)) {
    it(`begins with a base when ${fault}`, async () => {
      await recordOnce('one');
      database.close();
      harm();
      open();
      await recordOnce('two');
      expect(sentTo('two').filter((name) => BASE.test(name))).to.have.length(1);
      expect(await restored('two')).to.equal(commits);
      expect(await restored('one')).to.be.below(commits);
    }).timeout(LIMIT_MS);
  }

  it('goes on with points in time that only go up after the clock has gone back', async () => {
    await recordOnce('one');
    const { ino } = statSync(at('store', 'svc.db'), { bigint: true });
    const state = takeChain(at('spool'), String(ino));
    const last = state?.files.at(-1);
    if (state === undefined || last === undefined) return expect.fail('there is no chain');
    const known = sentTo('one');
    const aheadMs = Date.now() + HOUR_MS;
    new ChainStateFile(at('spool', 'one'), state).add({ ...last, untilMs: aheadMs }, { kept: Infinity, changed: [] });
    await recordOnce('two');
    const times = sentTo('one')
      .filter((name) => !known.includes(name))
      .map((name) => Number(name.split('-')[1]));
    expect(times).to.have.length.above(0);
    for (const [index, ms] of times.entries()) expect(ms).to.be.above(times[index - 1] ?? aheadMs);
    expect(await restored('one')).to.equal(commits);
    expect(sentTo('two')).to.deep.equal([]);
  }).timeout(LIMIT_MS);

  it('goes on from the last whole record after a crash has cut the next one', async () => {
    await recordOnce('one');
    appendFileSync(at('spool', 'one', 'state'), Buffer.from([0, 0, 1, 0, 7, 7, 7]));
    await recordOnce('two');
    expect(await restored('one')).to.equal(commits);
    expect(sentTo('two')).to.deep.equal([]);
  }).timeout(LIMIT_MS);
});
