import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { compareHlc, ZERO_HLC } from '../../kernel/time/hybrid-logical-clock.ts';
import type { FactStore, FeedEntry } from '../../ports/ports.ts';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { newHistory, writeUntil } from '../crash/write-load.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { NodeProcesses } from '../kit/node-processes.ts';
import { FOLLOWED_MS } from './process-counts.ts';

const PROCESSES = 3;
const WRITERS = 16;
/** The page size, small enough that pages end in the middle of a transaction. */
const PAGE = 10;
const SHOWN = 10;

/**
 * Reads on from the last stamp without a pause, as the most eager peer would, until `isOver` returns true and the feed
 * is exhausted.
 */
const follow = async (store: FactStore, isOver: () => boolean): Promise<FeedEntry[]> => {
  const seen: FeedEntry[] = [];
  for (;;) {
    const wasOver = isOver();
    const after = seen.at(-1)?.stamp ?? ZERO_HLC;
    const page = await store.read((snapshot) => snapshot.feedAfter(after, PAGE));
    seen.push(...page);
    if (wasOver && page.length === 0) return seen;
    // Yields, because a store that answers synchronously would block everything else in this process.
    await new Promise((resolve) => setImmediate(resolve));
  }
};

forEachStore('The feed of a store that several processes write', (store) => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on(store, STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  it('shows an eager reader every fact once, in stamp order', async function () {
    this.timeout(300_000 + 4 * FOLLOWED_MS);
    const nodes = await processes.start(PROCESSES);
    const history = newHistory();
    let isWritten = false;
    let isTimeUp = false;
    const following = follow(processes.openStore(), () => isWritten);
    const { fraction } = createSeededRandom(SEED);
    const writing = writeUntil(nodes, `${SEED}`, fraction, history, () => isTimeUp, WRITERS);
    await pause(FOLLOWED_MS);
    isTimeUp = true;
    await writing;
    isWritten = true;
    const seen = await following;

    expect(history.unexpected.slice(0, SHOWN), `seed ${SEED}`).to.deep.equal([]);
    const unordered = seen.filter(
      ({ stamp }, at) => at > 0 && compareHlc(stamp, (seen[at - 1] as FeedEntry).stamp) <= 0,
    );
    expect(unordered.slice(0, SHOWN), 'entries whose stamps do not rise').to.deep.equal([]);
    const state = await readStateOf(processes);
    const ids = seen.map(({ subjectId }) => subjectId);
    expect(ids, 'what the reader saw').to.deep.equal(state.facts.map(({ id }) => id));
    const timesSeen = new Map<string, number>();
    for (const id of ids) timesSeen.set(id, (timesSeen.get(id) ?? 0) + 1);
    const missed = history.acked.filter(({ id }) => timesSeen.get(id) !== 1);
    expect(missed.slice(0, SHOWN), 'acknowledged facts that were not seen exactly once').to.deep.equal([]);
    expect(problemsOf(state).slice(0, SHOWN), `seed ${SEED}`).to.deep.equal([]);
    expect(
      history.stampsByWriter.every((stamps) => stamps.length > 0),
      'every writer wrote',
    ).to.equal(true);
  });
});
