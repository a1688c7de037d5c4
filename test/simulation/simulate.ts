import { createNemeses, type Nemeses } from './nemeses/nemeses.ts';
import { createSquatter, type Squatter } from './nemeses/squatter.ts';
import { createStranger, type Stranger } from './nemeses/stranger.ts';
import { createConvergence } from './oracle/convergence.ts';
import { createOracle, type Oracle } from './oracle/oracle.ts';
import { Violation } from './oracle/violation.ts';
import { groupsOf, type Plan, planOf } from './plan.ts';
import { type Courier, createCourier } from './workload/courier.ts';
import { createWorkload } from './workload/operations.ts';
import type { Dice } from './world/dice.ts';
import { createGrants, type Grant, type Grants } from './world/grants.ts';
import type { Party } from './world/party.ts';
import { settle } from './world/settle.ts';
import { createWorld, type World } from './world/world.ts';

export interface Outcome {
  readonly plan: Plan;
  /** The hash of all events, in order. */
  readonly hash: string;
  readonly events: number;
  /** The duration in virtual seconds. */
  readonly lastedS: number;
}

/** A running simulation. */
interface Run {
  readonly plan: Plan;
  readonly world: World;
  readonly grants: Grants;
  readonly oracle: Oracle;
  readonly nemeses: Nemeses;
  readonly edges: readonly (readonly [Party, Party])[];
  readonly stranger: Stranger | undefined;
  readonly squatter: Squatter;
  readonly courier: Courier;
  /** The random source of the workload. */
  readonly dice: Dice;
}

/** The longest pause between two operations. */
const MOST_PAUSE_MS = 2_500;
/** The time for peers to agree after the last fault: back-off, stamps in the future, and several hops. */
const PATIENCE_S = 1_500;
const MOST_PUSHED = 100;
const QUIET_ROUNDS = 3;
const LINES_SHOWN = 40;
/** The number of operations between two actions of the squatter. */
const SQUATTER_PAUSE = 3;

/** Runs the seed to its end. Rejects with the broken invariant, the command to repeat the run, and the last events. */
export const simulate = async (seed: number): Promise<Outcome> => {
  const plan = planOf(seed);
  const world = await createWorld({ ...plan, afterEvent: async () => afterEvent() });
  const grants = createGrants(world, plan);
  const oracle = createOracle(world, grants);
  const edges = plan.edges.map(([one, other]) => [world.parties[one], world.parties[other]] as readonly [Party, Party]);
  const stranger = await createStrangerOf(plan, { world, grants, oracle, edges });
  const squatter = await createSquatter({ world, grants, victims: world.parties.slice(0, 2) });
  const nemeses = createNemeses({ world, plan, oracle, stranger });
  const afterEvent = async (): Promise<void> => {
    await nemeses.tend();
    oracle.check();
  };
  if (stranger !== undefined) oracle.forbid(stranger.forbidden);
  const dice = world.dice('workload');
  const courier = createCourier({ world, dice });
  const run: Run = { plan, world, grants, oracle, nemeses, edges, stranger, squatter, courier, dice };
  try {
    await disturb(run);
    oracle.checkAll();
    if (!plan.unlimitedFaults) await heal(run);
    oracle.checkAll();
    oracle.checkTrust();
    return {
      plan,
      hash: world.trace.hash(),
      events: world.trace.length,
      lastedS: Math.round(world.time.nowMs / 1_000),
    };
  } catch (error) {
    throw explained(error, run);
  } finally {
    oracle.close();
    await world.end();
  }
};

/** Creates the hostile peer, with the first node as its victim. */
const createStrangerOf = async (
  plan: Plan,
  { edges, ...parts }: Pick<Run, 'world' | 'grants' | 'oracle' | 'edges'>,
): Promise<Stranger | undefined> => {
  const [victim] = parts.world.parties;
  if (victim === undefined || !plan.nemeses.has('stranger')) return undefined;
  const neighbours = edges.flatMap(([one, other]) => (one === victim ? [other] : other === victim ? [one] : []));
  return createStranger({ ...parts, victim, neighbours });
};

/** Phase 1: faults occur, and no invariant may break. */
const disturb = async (run: Run): Promise<void> => {
  const { plan, world, grants, oracle, nemeses, edges, courier, dice } = run;
  const workload = createWorkload({ world, grants, edges, courier, dice, seen: oracle.seen });
  await workload.begin();
  await peerUp(run, () => ({
    scopes: dice.comes(0.6) ? ['public', 'company'] : ['public'],
    direction: 'bidirectional',
  }));
  run.stranger?.begin();
  run.squatter.begin();
  await world.time.pass(2_000);
  for (let done = 0; done < plan.operations; done += 1) {
    const together = dice.comes(0.2) ? dice.whole(2, 4) : 1;
    for (let count = 0; count < together; count += 1) workload.next();
    await settle();
    await nemeses.tend();
    oracle.check();
    await nemeses.strike();
    if (done % SQUATTER_PAUSE === 0) run.squatter.act();
    oracle.check();
    await world.time.pass(dice.whole(0, MOST_PAUSE_MS));
  }
};

/** Phase 2: all faults have ended, and the nodes must agree within a time limit. */
const heal = async (run: Run): Promise<void> => {
  const { plan, world, grants, oracle, nemeses, edges, stranger } = run;
  await nemeses.stop();
  stranger?.behave();
  await peerUp(run, () => ({ scopes: ['public', 'company'], direction: 'bidirectional' }));
  const groups = groupsOf(plan).map((places) => places.map((place) => world.parties[place] as Party));
  const convergence = createConvergence({ oracle, grants, groups, edges, mayEndOthers: plan.mayEndOthers });
  const roundMs = plan.pullIntervalS * 1_000;
  const untilMs = world.time.nowMs + PATIENCE_S * 1_000;
  let before = convergence.state();
  // A tale of the squatter is missing nowhere, and may still be on its way.
  for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
    giveBack(run);
    await world.time.pass(roundMs);
    oracle.check();
    const after = convergence.state();
    const missing = convergence.missing();
    quiet = missing === undefined && before === after ? quiet + 1 : 0;
    if (world.time.nowMs > untilMs) {
      if (missing !== undefined) throw new Violation('I8', `after ${PATIENCE_S} s: ${missing}`);
      throw new Violation('I10', `the state changes with nothing to do:\n${before}\n${after}`);
    }
    before = after;
  }
  await convergence.checkAnswers();
};

/** Returns lost facts to a restored node from the peers that received them. */
const giveBack = ({ oracle, courier, edges }: Run): void => {
  for (const [giver, taker] of edges.flatMap(([one, other]) => [[one, other] as const, [other, one] as const])) {
    const lost = taker.restores === 0 ? [] : oracle.lost(taker);
    const kept = lost.filter(({ id }) => oracle.storeOf(giver).facts.has(id));
    if (kept.length > 0) void courier.push(giver, taker, kept.slice(0, MOST_PUSHED)).catch(() => {});
  }
};

/** Makes every pair of peers exchange declarations until both nodes have both. */
const peerUp = async ({ world, grants, edges }: Run, grantOf: () => Grant): Promise<void> => {
  for (const [one, other] of edges) {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      void grants.declare(from, to, grantOf());
    }
    await world.time.pass(500);
  }
  await world.time.pass(2_000);
};

const explained = (error: unknown, { plan, world }: Run): Error => {
  const { seed, nodes, topology, nemeses } = plan;
  const what = error instanceof Violation ? error.message : ((error as Error).stack ?? String(error));
  const lines = world.trace.last(LINES_SHOWN);
  return new Error(
    [
      `seed ${seed} (${nodes} nodes, ${topology}; ${[...nemeses].join(', ')}) broke a promise`,
      what,
      `run it again: SVC_TEST_SEED=${seed} npx mocha dist/test/simulation/simulation.test.js`,
      `what happened just before:`,
      ...lines,
    ].join('\n'),
    { cause: error },
  );
};
