import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratchPlace } from '../../kit/scratch-place.ts';
import { createDice, type Dice, seedFor } from './dice.ts';
import { createDriftingClock } from './drifting-clock.ts';
import { createParty, type Party } from './party.ts';
import { createTrace, type Trace } from './trace.ts';
import { createVirtualNetwork, type VirtualNetwork } from './virtual-network.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

/** The simulated machines, their network, and their time. */
export interface World {
  readonly time: VirtualTime;
  readonly network: VirtualNetwork;
  readonly trace: Trace;
  readonly parties: readonly Party[];
  /** Returns the random source of one part, which is independent of all other parts. */
  dice(part: 'workload' | 'replacements' | 'nemeses' | 'stranger' | 'squatter'): Dice;
  /** Ends every process, and removes its files. */
  end(): Promise<void>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly pullIntervalS: number;
  /** Called after each event, when the process is idle. */
  readonly afterEvent: (world: World) => Promise<void>;
}

const PARTS = { network: 1, workload: 2, nemeses: 3, stranger: 4, squatter: 6, replacements: 7, parties: 10 };

/** Starts all nodes, without any peering. */
export const createWorld = async ({ seed, nodes, pullIntervalS, afterEvent }: WorldOptions): Promise<World> => {
  const folder = mkdtempSync(join(await scratchPlace(), 'simulation-'));
  const time = createVirtualTime(() => afterEvent(world));
  const trace = createTrace(() => time.nowMs);
  const network = createVirtualNetwork({ time, dice: createDice(seedFor(seed, PARTS.network)), trace });
  const parties: Party[] = [];
  const world: World = {
    time,
    network,
    trace,
    parties,
    dice: (part) => createDice(seedFor(seed, PARTS[part])),
    async end() {
      for (const party of parties) await party.crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (let index = 1; index <= nodes; index += 1) {
    const { random } = createDice(seedFor(seed, PARTS.parties + index));
    const clock = createDriftingClock(time);
    parties.push(await createParty({ index, folder, network, clock, random, pullIntervalS }));
  }
  for (const party of parties) await party.start();
  return world;
};
