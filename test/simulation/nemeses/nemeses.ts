import type { Oracle } from '../oracle/oracle.ts';
import type { Nemesis, Plan } from '../plan.ts';
import type { Dice } from '../world/dice.ts';
import type { Party } from '../world/party.ts';
import { fairWeather, type Weather } from '../world/weather.ts';
import type { World } from '../world/world.ts';
import type { Stranger } from './stranger.ts';

/** Injects faults of several kinds. Each fault begins at a random time and ends by itself, or with `stop`. */
export interface Nemeses {
  /** Begins a fault with a certain probability. */
  strike(): Promise<void>;
  /** Restarts crashed processes. Called after each event. */
  tend(): Promise<void>;
  /** Ends every fault: repairs links, corrects clocks and starts nodes. */
  stop(): Promise<void>;
}

interface Parts {
  readonly world: World;
  readonly plan: Plan;
  readonly oracle: Pick<Oracle, 'copyAside' | 'restoring'>;
  readonly stranger: Stranger | undefined;
}

type Strike = (party: Party) => Promise<void> | void;

/** The probability of a fault per operation of the workload. */
const CHANCE = 0.3;

export const createNemeses = (parts: Parts): Nemeses => {
  const { world, plan } = parts;
  const { time, trace, parties } = world;
  const dice = world.dice('nemeses');
  const downUntil = new Map<Party, number>();
  const healings = new Set<() => void>();
  let stopped = false;
  /** Undoes a fault after a random time, or when all faults end. */
  const later = (leastS: number, mostS: number, heal: () => void): void => {
    const once = (): void => {
      if (healings.delete(once)) heal();
    };
    healings.add(once);
    time.after(dice.whole(leastS * 1_000, mostS * 1_000), once);
  };
  const bringUp = async (party: Party): Promise<void> => {
    downUntil.delete(party);
    trace.add(`${party.name} starts`);
    await party.start();
  };
  if (plan.nemeses.has('drift')) for (const party of parties) party.clock.drift(dice.whole(-500, 500));
  const strikes = strikesOf({ ...parts, dice, later, downUntil });
  const chosen = [...plan.nemeses].filter((name) => strikes[name] !== undefined);
  return {
    async strike() {
      const up = parties.filter(({ node }) => node !== undefined);
      if (chosen.length === 0 || up.length === 0 || !dice.comes(CHANCE)) return;
      const name = dice.pick(chosen);
      const party = dice.pick(up);
      trace.add(`${name} strikes ${party.name}`);
      await strikes[name]?.(party);
    },
    async tend() {
      for (const party of parties) {
        if (await party.buryDead()) {
          trace.add(`${party.name} died`);
          downUntil.set(party, time.nowMs + (stopped ? 0 : dice.whole(0, 20_000)));
        }
        if ((downUntil.get(party) ?? Number.POSITIVE_INFINITY) <= time.nowMs) await bringUp(party);
      }
    },
    async stop() {
      stopped = true;
      for (const heal of [...healings]) heal();
      for (const one of parties) {
        one.crashAfter(Number.POSITIVE_INFINITY);
        one.clock.correct();
        for (const other of parties) Object.assign(world.network.link(one.url, other.url), fairWeather());
      }
      for (const party of [...downUntil.keys()]) await bringUp(party);
      await this.tend();
    },
  };
};

interface StrikeParts extends Parts {
  readonly dice: Dice;
  readonly later: (leastS: number, mostS: number, heal: () => void) => void;
  readonly downUntil: Map<Party, number>;
}

const strikesOf = (parts: StrikeParts): Partial<Record<Nemesis, Strike>> => {
  const { world, dice, later, downUntil, oracle, stranger } = parts;
  const { time } = world;
  /** Disturbs links of a machine, in one direction or both, and repairs each after a random time. */
  const spoil = (party: Party, change: Partial<Weather>): void => {
    for (const other of world.parties) {
      if (other === party || dice.comes(0.4)) continue;
      for (const [from, to] of [
        [party, other],
        [other, party],
      ] as const) {
        if (dice.comes(0.3)) continue;
        const weather = world.network.link(from.url, to.url);
        Object.assign(weather, change);
        const fair = fairWeather() as unknown as Record<string, unknown>;
        const back = Object.fromEntries(Object.keys(change).map((name) => [name, fair[name]]));
        later(3, 45, () => Object.assign(weather, back));
      }
    }
  };
  const takeDown = async (party: Party): Promise<void> => {
    await party.crash();
    downUntil.set(party, time.nowMs + dice.whole(0, 25_000));
  };
  return {
    partition: (party) => spoil(party, { cut: true }),
    storm: (party) =>
      spoil(party, {
        loss: dice.whole(0, 30) / 100,
        duplication: dice.whole(0, 20) / 100,
        truncation: dice.whole(0, 20) / 100,
        lostAnswers: dice.whole(0, 30) / 100,
        mostDelayMs: dice.pick([100, 3_000, 30_000]),
      }),
    'slow-peer': (party) => spoil(party, { leastDelayMs: 4_000, mostDelayMs: 35_000 }),
    crash: takeDown,
    'crash-inside': (party) => party.crashAfter(dice.whole(1, 80)),
    async restore(party) {
      if (!party.hasCopy || dice.comes(0.4)) {
        party.copyAside();
        oracle.copyAside(party);
        return;
      }
      oracle.restoring(party);
      await party.restore();
    },
    'clock-jump': (party) => {
      const byMs = dice.whole(-80, 80) * 1_000;
      party.clock.jump(byMs);
      later(10, 80, () => party.clock.jump(-byMs));
    },
    'frozen-clock': (party) => {
      party.clock.freeze();
      later(5, 40, () => party.clock.correct());
    },
    ...(stranger === undefined ? {} : { stranger: () => stranger.act() }),
  };
};
