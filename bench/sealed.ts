import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareRecalls, type Side } from './compare-recalls.ts';
import { Contestant, type ContestLoad } from './contestant.ts';
import { loadedEntities } from './load/load-requests.ts';
import { runBatches } from './load/run-batches.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { untilIdle } from './processes/until-idle.ts';
import { median } from './report/median.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

export interface SealedOptions {
  readonly connections: number;
  /** Seconds of each measured load for each side. */
  readonly seconds: number;
  /** The number of facts in the store that is queried and recalled from. */
  readonly facts: number;
  readonly store: BenchStore;
}

/** The turns of each side under a load. Many short ones, because a busy moment of the machine lasts for seconds. */
const ROUNDS = 11;
const WARM_UP_SECONDS = 3;
const BATCH_SIZE = 100;
const PER_ENTITY = 10;
const KNOWN_ENTITIES = 1_000;

/** Compares writes, entity queries and recalls of a node with a sealed store and of one with a clear one, by turns. */
export const benchSealed = async (options: SealedOptions): Promise<void> => {
  const place = await openPlace(options.store);
  const folder = await mkdtemp(join(tmpdir(), 'bench-sealed-'));
  const nodes: ServerProcess[] = [];
  try {
    const key = join(folder, 'operator.key');
    await writeFile(key, randomBytes(32).toString('hex'), { mode: 0o600 });
    for (const env of [{}, { SVC_ENCRYPTION_KEY_FILE: key }]) nodes.push(...(await place.startNodes({ env })));
    const sides = (): [Side, Side] => {
      const [clear, sealed] = nodes.map((node, at) => {
        const name = at === 0 ? 'clear' : 'sealed';
        return { name, node, contestant: new Contestant(name, [node], place.databaseCpuMs) };
      });
      return [clear as Side, sealed as Side];
    };
    await compareRecalls(sides(), options);
    for (const node of nodes) await runBatches(node, { from: 0, to: options.facts, perEntity: PER_ENTITY });
    for (const node of nodes) await untilIdle(node);
    const heading = place.databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;
    for (const [title, load] of loadsOf(options)) await compareLoads(title, load, sides(), heading);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await place.close();
    await rm(folder, { recursive: true, force: true });
  }
};

type Load = Pick<ContestLoad, 'expectedStatus' | 'requests'>;

const loadsOf = ({ facts, connections, seconds }: SealedOptions): readonly (readonly [string, ContestLoad])[] => {
  const entities = loadedEntities(facts, PER_ENTITY);
  const loads: readonly (readonly [string, Load])[] = [
    [
      'GET /v1/facts?entity=',
      { expectedStatus: '200', requests: () => ({ kind: 'query', path: '/v1/facts', entities }) },
    ],
    [
      'POST /v1/facts, each about a new entity',
      { expectedStatus: '201', requests: (first) => ({ kind: 'append', first, contradicting: 0.02 }) },
    ],
    [
      `POST /v1/facts about ${KNOWN_ENTITIES} known entities`,
      {
        expectedStatus: '201',
        requests: (first) => ({ kind: 'append', first, contradicting: 0.02, entities: KNOWN_ENTITIES }),
      },
    ],
    [
      `POST /v1/facts/batch of ${BATCH_SIZE}, ${PER_ENTITY} about each entity`,
      {
        expectedStatus: '200',
        requests: (first) => ({ kind: 'batch', first, size: BATCH_SIZE, perEntity: PER_ENTITY }),
      },
    ],
  ];
  return loads.map(([title, load]) => [
    title,
    { ...load, connections, seconds: seconds / ROUNDS, untilRest: untilIdle },
  ]);
};

const compareLoads = async (
  title: string,
  load: ContestLoad,
  sides: readonly [Side, Side],
  heading: readonly string[],
): Promise<void> => {
  for (const { contestant } of sides) await contestant.warmUp({ ...load, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round += 1) {
    // As many requests to both, so that the stores grow alike.
    let count: number | undefined;
    for (const { contestant } of sidesOfRound(sides, round)) count = await contestant.measure({ ...load, count });
  }
  const [clear, sealed] = sides.map(({ contestant }) => contestant) as [Contestant, Contestant];
  console.log(`\n${title}, ${ROUNDS} rounds by turns`);
  printTable(
    heading,
    [clear, sealed].map((contestant) => contestant.row()),
  );
  const rates = clear.rates.map((rate, round) => (sealed.rates[round] ?? 0) / rate);
  console.log(`rate, sealed / clear: ${spellShares(rates)}`);
  const spent = sealed.cpuPerRequestOfRuns;
  const work = clear.cpuPerRequestOfRuns.map((us, round) => us && us / (spent[round] ?? Number.NaN));
  if (work.every((ratio) => ratio !== null)) console.log(`work until rest, clear / sealed: ${spellShares(work)}`);
};

/** Spells the median first, because a busy moment of the machine changes a mean. */
const spellShares = (ratios: readonly number[]): string =>
  `${share(median(ratios), 1)} at the median (rounds: ${ratios.map((ratio) => figure(100 * ratio)).join(', ')})`;
