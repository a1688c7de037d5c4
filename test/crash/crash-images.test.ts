import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { launchNode, NODE_DATABASE, NODE_KEY } from '../../bench/processes/launch-node.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { problemsOf } from './check-state.ts';
import { CRASH_IMAGES, SEED } from './crash-counts.ts';
import { readStoredState } from './read-state.ts';
import type { StoredState } from './stored-state.ts';
import { newHistory, writeUntil } from './write-load.ts';

/** Each round uses a new store, so that no log grows to the size that starts a checkpoint. */
const IMAGES_PER_ROUND = 40;
const LONGEST_PAUSE_MS = 60;
const ROUND_LIMIT_MS = 300_000;
const IMAGE = 'image.db';
const SHOWN = 10;

interface Image {
  readonly state: StoredState;
  readonly ackedBefore: readonly string[];
}

/** Runs `work` on a node whose database file already contains the schema, however little of the log a copy has. */
const onFreshNode = async (folder: string, work: (port: number) => Promise<void>): Promise<void> => {
  const first = await launchNode(folder);
  const stopped = once(first.child, 'exit');
  first.child.kill('SIGTERM');
  await stopped;
  const { child, port } = await launchNode(folder);
  const killed = once(child, 'exit');
  try {
    await work(port);
  } finally {
    child.kill('SIGKILL');
    await killed;
  }
};

const openImage = async (folder: string): Promise<StoredState> => {
  const state = readStoredState(join(folder, IMAGE));
  for (const suffix of ['', '-wal', '-shm']) await rm(join(folder, `${IMAGE}${suffix}`), { force: true });
  return state;
};

/**
 * Copies the files that a crash would leave at this moment. The database file comes first, because only a checkpoint
 * changes it, so the later log always fits.
 */
const takeImage = async (folder: string): Promise<StoredState> => {
  await copyFile(join(folder, NODE_DATABASE), join(folder, IMAGE));
  await copyFile(join(folder, `${NODE_DATABASE}-wal`), join(folder, `${IMAGE}-wal`));
  return openImage(folder);
};

const tearLog = async (folder: string, log: Buffer, length: number): Promise<StoredState> => {
  await copyFile(join(folder, NODE_DATABASE), join(folder, IMAGE));
  await writeFile(join(folder, `${IMAGE}-wal`), log.subarray(0, length));
  return openImage(folder);
};

const missing = ({ state, ackedBefore }: Image): string[] => {
  const stored = new Set(state.facts.map(({ id }) => id));
  return ackedBefore.filter((id) => !stored.has(id)).map((id) => `acknowledged fact ${id} is not in the copy`);
};

const eachRound = (tell: (round: number, images: number) => void): void => {
  for (let taken = 0, round = 1; taken < CRASH_IMAGES; taken += IMAGES_PER_ROUND, round += 1) {
    tell(round, Math.min(IMAGES_PER_ROUND, CRASH_IMAGES - taken) / 2);
  }
};

describe('A copy of a store under load', () => {
  eachRound((round, images) => {
    describe(`(store ${round})`, function () {
      this.timeout(ROUND_LIMIT_MS);
      const seed = SEED + round;
      const fraction = createSeededRandom(seed).fraction;
      const history = newHistory();
      const taken: Image[] = [];
      let folder: string;

      before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'fact-image-'));
        await onFreshNode(folder, async (port) => {
          let isOver = false;
          const writing = writeUntil([{ port, key: NODE_KEY }], `${seed}`, fraction, history, () => isOver);
          while (taken.length < images) {
            await pause(fraction() * LONGEST_PAUSE_MS);
            const ackedBefore = history.acked.map(({ id }) => id);
            taken.push({ ackedBefore, state: await takeImage(folder) });
          }
          isOver = true;
          await writing;
        });
      });

      after(() => rm(folder, { recursive: true, force: true }));

      it('contains every acknowledged fact, with all derived rows', () => {
        expect(history.unexpected).to.deep.equal([]);
        for (const [at, image] of taken.entries()) {
          const problems = [...missing(image), ...problemsOf(image.state)];
          expect(problems.slice(0, SHOWN), `seed ${seed}, copy ${at + 1}`).to.deep.equal([]);
        }
        expect(taken.at(-1)?.ackedBefore).to.not.deep.equal([]);
      });

      it('contains a prefix of the feed, with all derived rows, when its log is truncated at any byte', async () => {
        const log = await readFile(join(folder, `${NODE_DATABASE}-wal`));
        const whole = (await tearLog(folder, log, log.length)).facts.map(({ id }) => id);
        for (let torn = 0; torn < images; torn += 1) {
          const length = Math.floor(fraction() * log.length);
          const state = await tearLog(folder, log, length);
          const where = `seed ${seed}, log torn at ${length}`;
          expect(problemsOf(state).slice(0, SHOWN), where).to.deep.equal([]);
          expect(
            state.facts.map(({ id }) => id),
            where,
          ).to.deep.equal(whole.slice(0, state.facts.length));
        }
      });
    });
  });
});
