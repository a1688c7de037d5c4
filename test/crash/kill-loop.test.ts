import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore, type StoreKind } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeVariables } from '../kit/node-processes.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { derivedProblems, problemsOf } from './check-state.ts';
import { KILLS, SEED } from './crash-counts.ts';
import { readDerived } from './derived-lists.ts';
import { readStateOf, STATE_PLUGINS } from './read-state.ts';
import { parseStamp, type StoredState } from './stored-state.ts';
import { newHistory, type WriteHistory, writeUntil } from './write-load.ts';

const SHORTEST_MS = 5;
const LONGEST_MS = 500;
/** The number of acknowledged facts that the test requests over HTTP after each restart. */
const ASKED_PER_RESTART = 12;
const SECONDS_PER_KILL = 20;
const SHOWN = 10;

const lost = (history: WriteHistory, state: StoredState): string[] => {
  const stored = new Map(state.facts.map((fact) => [fact.id, fact]));
  return history.acked
    .filter(({ id, v, confidence, hlc }) => {
      const fact = stored.get(id);
      return fact?.v !== v || fact.confidence !== confidence || fact.stamp !== parseStamp(hlc);
    })
    .map(({ id }) => `acknowledged fact ${id} is gone or has changed`);
};

/** Each writer waits for its answers, so its stamps must rise; a reused stamp would show here or in the feed. */
const disorder = (history: WriteHistory): string[] =>
  history.stampsByWriter.flatMap((stamps) =>
    stamps
      .map(parseStamp)
      .filter((stamp, at, all) => at > 0 && stamp <= (all[at - 1] as number))
      .map((stamp) => `stamp ${stamp} did not come after the one that the same writer got before it`),
  );

/** Returns facts stamped since the last restart whose stamps are not higher than every earlier one. */
const repeatedStamps = (before: StoredState | undefined, after: StoredState): string[] => {
  if (before === undefined) return [];
  const known = new Set(before.facts.map(({ id }) => id));
  return after.facts
    .filter(({ id, stamp }) => !known.has(id) && stamp <= before.clock)
    .map(({ id }) => `fact ${id} got a stamp that the clock had passed before the restart`);
};

const overHttp = async (node: NodeProcess, history: WriteHistory, fraction: () => number): Promise<string[]> => {
  const problems: string[] = [];
  for (let asked = 0; asked < ASKED_PER_RESTART && history.acked.length > 0; asked += 1) {
    const fact = history.acked[Math.floor(fraction() * history.acked.length)];
    const byId = await node.request('GET', `/v1/facts/${fact?.id}`);
    const audit = await node.request('GET', `/v1/audit/facts/${fact?.id}`);
    if (byId.status !== 200) problems.push(`fact ${fact?.id} was answered with ${byId.status}`);
    const entries = audit.status === 200 ? (audit.body as { event_type: string }[]) : [];
    const writes = entries.filter((entry) => entry.event_type === 'fact_write').length;
    if (writes !== 1) problems.push(`fact ${fact?.id} has ${writes} write entries in its audit`);
  }
  return problems;
};

/** The time limit of a node to acknowledge facts. */
const ACKNOWLEDGED_MS = 60_000;

/** The number of kills of one store, which is read completely after each of them. */
const KILLS_PER_STORE = 50;

const eachRound = (kills: number, tell: (first: number, last: number) => void): void => {
  for (let first = 1; first <= kills; first += KILLS_PER_STORE) {
    tell(first, Math.min(first + KILLS_PER_STORE - 1, kills));
  }
};

/** A node and the facts that its client knows, over many kills. */
class KillLoop {
  readonly history = newHistory();
  readonly #processes: NodeProcesses;
  readonly #variables: NodeVariables;
  readonly #fraction: () => number;
  #node: NodeProcess;
  #before: StoredState | undefined;

  private constructor(processes: NodeProcesses, variables: NodeVariables, node: NodeProcess, fraction: () => number) {
    this.#processes = processes;
    this.#variables = variables;
    this.#node = node;
    this.#fraction = fraction;
  }

  static async start(processes: NodeProcesses, seed: number, variables: NodeVariables): Promise<KillLoop> {
    const [node] = (await processes.start(1, variables)) as [NodeProcess];
    return new KillLoop(processes, variables, node, createSeededRandom(seed).fraction);
  }

  /** Kills the node under load after more than `acknowledged` facts, restarts it, and returns the problems found. */
  async kill(label: string, acknowledged: number): Promise<string[]> {
    let isOver = false;
    const writing = writeUntil([this.#node], label, this.#fraction, this.history, () => isOver);
    await pause(SHORTEST_MS + this.#fraction() * (LONGEST_MS - SHORTEST_MS));
    const { acked } = this.history;
    // A busy machine acknowledges less than one fact in the pause.
    await waitUntil('facts are acknowledged', ACKNOWLEDGED_MS, () => acked.length > acknowledged);
    await this.#node.end('SIGKILL');
    isOver = true;
    await writing;
    [this.#node] = (await this.#processes.start(1, this.#variables)) as [NodeProcess];
    const state = await readStateOf(this.#processes);
    const problems = [
      ...this.history.unexpected,
      ...problemsOf(state),
      ...derivedProblems(state, await readDerived(this.#node)),
      ...lost(this.history, state),
      ...repeatedStamps(this.#before, state),
      ...(await overHttp(this.#node, this.history, this.#fraction)),
    ];
    this.#before = state;
    return problems;
  }
}

const tellOfKills = (store: StoreKind, variables: NodeVariables, first: number, last: number): void => {
  const kills = last - first + 1;
  const seed = SEED + first - 1;
  let processes: NodeProcesses;

  before(async () => {
    processes = await NodeProcesses.on(store, STATE_PLUGINS);
  });

  after(() => processes?.stop());

  it('has each acknowledged fact with its derived rows, and never repeats a stamp', async function () {
    this.timeout(kills * SECONDS_PER_KILL * 1000);
    const loop = await KillLoop.start(processes, seed, variables);
    for (let kill = first; kill <= last; kill += 1) {
      const problems = await loop.kill(`${seed}-${kill}`, kill - first + 1);
      expect(problems.slice(0, SHOWN), `seed ${SEED}, kill ${kill}`).to.deep.equal([]);
    }
    expect(disorder(loop.history), `seed ${SEED}`).to.deep.equal([]);
    expect(loop.history.acked.length, 'acknowledged facts').to.be.above(kills);
  });
};

/** On SQLite, half of the killed nodes have a writer thread. */
const LAYOUTS: Readonly<Record<StoreKind, readonly NodeVariables[]>> = {
  sqlite: [{ SVC_SQLITE_WRITER: 'inline' }, { SVC_SQLITE_WRITER: 'thread' }],
  postgres: [{}],
};

forEachStore('A node that is killed while it writes', (store) => {
  for (const variables of LAYOUTS[store]) {
    eachRound(KILLS[store] / LAYOUTS[store].length, (first, last) => {
      describe(`(kills ${first} to ${last}${Object.values(variables).map((layout) => `, written ${layout}`)})`, () => {
        tellOfKills(store, variables, first, last);
      });
    });
  }
});
