import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { RawConnection } from '../../bench/load/raw-connection.ts';
import { type LaunchedNode, launchNode, NODE_DATABASE, NODE_KEY } from '../../bench/processes/launch-node.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { problemsOf } from './check-state.ts';
import { KILLS, SEED } from './crash-counts.ts';
import { parseStamp, readStoredState, type StoredState } from './stored-state.ts';
import { newHistory, type WriteHistory, writeUntil } from './write-load.ts';

const SHORTEST_MS = 5;
const LONGEST_MS = 500;
/** Acknowledged facts that are asked for over HTTP after each restart. */
const ASKED_PER_RESTART = 12;
const SECONDS_PER_KILL = 20;

const kill = async ({ child }: LaunchedNode): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

const lost = (history: WriteHistory, state: StoredState): string[] => {
  const stored = new Map(state.facts.map((fact) => [fact.id, fact]));
  return history.acked
    .filter(({ id, v, confidence, hlc }) => {
      const fact = stored.get(id);
      return fact?.v !== v || fact.confidence !== confidence || fact.stamp !== parseStamp(hlc);
    })
    .map(({ id }) => `acknowledged fact ${id} is gone or has changed`);
};

/** Every writer waits for each answer, so its stamps must rise; a stamp handed out twice would show here or in the feed. */
const disorder = (history: WriteHistory): string[] =>
  history.stampsByWriter.flatMap((stamps) =>
    stamps
      .map(parseStamp)
      .filter((stamp, at, all) => at > 0 && stamp <= (all[at - 1] as number))
      .map((stamp) => `stamp ${stamp} did not come after the one that the same writer got before it`),
  );

/** Facts stamped since the last restart must lie above everything that was stored before it. */
const repeatedStamps = (before: StoredState | undefined, after: StoredState): string[] => {
  if (before === undefined) return [];
  const known = new Set(before.facts.map(({ id }) => id));
  return after.facts
    .filter(({ id, stamp }) => !known.has(id) && stamp <= before.clock)
    .map(({ id }) => `fact ${id} got a stamp that the clock had passed before the restart`);
};

const overHttp = async (port: number, history: WriteHistory, fraction: () => number): Promise<string[]> => {
  const problems: string[] = [];
  const connection = await RawConnection.open(port);
  const get = async (path: string): Promise<{ status: number; text: string }> =>
    connection.exchange(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${NODE_KEY}\r\n\r\n`);
  for (let asked = 0; asked < ASKED_PER_RESTART && history.acked.length > 0; asked += 1) {
    const fact = history.acked[Math.floor(fraction() * history.acked.length)];
    const byId = await get(`/v1/facts/${fact?.id}`);
    const audit = await get(`/v1/audit/facts/${fact?.id}`);
    if (byId.status !== 200) problems.push(`fact ${fact?.id} was answered with ${byId.status}`);
    const entries = audit.status === 200 ? (JSON.parse(audit.text) as { event_type: string }[]) : [];
    const writes = entries.filter((entry) => entry.event_type === 'fact_write').length;
    if (writes !== 1) problems.push(`fact ${fact?.id} has ${writes} write entries in its audit`);
  }
  connection.close();
  return problems;
};

describe('A node that is killed while it writes', function () {
  this.timeout(KILLS * SECONDS_PER_KILL * 1000);
  let folder: string;
  let node: LaunchedNode | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fact-kill-'));
  });

  after(async () => {
    if (node !== undefined) await kill(node);
    await rm(folder, { recursive: true, force: true });
  });

  it('has every acknowledged fact with its audit entry, billing row and conflicts, and never repeats a stamp', async () => {
    const fraction = createSeededRandom(SEED).fraction;
    const history = newHistory();
    let before: StoredState | undefined;
    node = await launchNode(folder);
    for (let round = 0; round < KILLS; round += 1) {
      let isOver = false;
      const writing = writeUntil(node.port, `${SEED}-${round}`, fraction, history, () => isOver);
      await pause(SHORTEST_MS + fraction() * (LONGEST_MS - SHORTEST_MS));
      await kill(node);
      isOver = true;
      await writing;
      node = await launchNode(folder);
      const state = readStoredState(join(folder, NODE_DATABASE));
      const problems = [
        ...history.unexpected,
        ...problemsOf(state),
        ...lost(history, state),
        ...repeatedStamps(before, state),
        ...(await overHttp(node.port, history, fraction)),
      ];
      expect(problems.slice(0, 10), `seed ${SEED}, kill ${round + 1}`).to.deep.equal([]);
      before = state;
    }
    expect(disorder(history), `seed ${SEED}`).to.deep.equal([]);
    expect(history.acked.length, 'acknowledged facts').to.be.above(KILLS);
  });
});
