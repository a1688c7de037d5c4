import { Contestant, type ContestLoad } from './contestant.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

export interface TelemetryOptions {
  readonly connections: number;
  /** Seconds of measured time for each side. */
  readonly seconds: number;
  readonly rounds: number;
  readonly store: BenchStore;
}

const WARM_UP_SECONDS = 4;
const REGISTER_SPANS = new URL('./register-spans.js', import.meta.url).href;

const SIDES = [
  { name: 'off', config: { plugins: { metrics: false, tracing: false } } },
  { name: 'metrics and tracing, no SDK' },
  { name: 'metrics, spans to nowhere', nodeOptions: ['--import', REGISTER_SPANS] },
] as const;

/** Compares assertions with metrics and tracing on, with and without an SDK, and with both off. */
export const benchTelemetry = async ({ connections, seconds, rounds, store }: TelemetryOptions): Promise<void> => {
  const place = await openPlace(store);
  const sides: Contestant[] = [];
  const asserting = (forSeconds: number): ContestLoad => ({
    connections,
    seconds: forSeconds,
    expectedStatus: '201',
    requests: (first) => ({ kind: 'append', first, contradicting: 0.02 }),
  });
  try {
    for (const { name, ...options } of SIDES) {
      sides.push(new Contestant(name, await place.startNodes(options), place.databaseCpuMs));
    }
    for (const side of sides) await side.warmUp(asserting(WARM_UP_SECONDS));
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sidesOfRound(sides, round)) {
        await side.measure(asserting(seconds / rounds));
      }
    }
    console.log(`\nPOST /v1/facts on ${store}, ${connections} connections, ${rounds} rounds by turns`);
    const heading = place.databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;
    printTable(
      heading,
      sides.map((side) => side.row()),
    );
    const [off, ...others] = sides as [Contestant, ...Contestant[]];
    for (const side of others) {
      const byRound = off.rates.map((rate, round) => figure((100 * (side.rates[round] ?? 0)) / rate));
      const ratio = share(side.requestsPerSecond, off.requestsPerSecond);
      console.log(`${side.name} / off: ${ratio} (rounds: ${byRound.join(', ')})`);
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    await place.close();
  }
};
