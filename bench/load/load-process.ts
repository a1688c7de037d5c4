import type { LoadPlan, LoadReport } from './load-plan.ts';
import { requestMaker } from './load-requests.ts';
import { RawConnection } from './raw-connection.ts';

/** The load generator runs as a separate process, `node load-process.js PLAN`, with the plan and the report as JSON. */
const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/**
 * Collects the latencies of a run in a typed array that doubles when full. An ordinary array of a million numbers would
 * cause garbage collections during the run.
 */
class Latencies {
  #values = new Float64Array(65_536);
  #count = 0;

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = ms;
  }

  sorted(): Float64Array {
    return this.#values.subarray(0, this.#count).sort();
  }
}

const run = async (plan: LoadPlan): Promise<LoadReport> => {
  const make = requestMaker(plan);
  const latencies = new Latencies();
  const statuses: Record<string, number> = {};
  const portOf = (at: number): number => plan.ports[at % plan.ports.length] ?? 0;
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, (_, at) => RawConnection.open(portOf(at))),
  );
  const start = performance.now();
  const deadline = start + plan.seconds * 1000;
  let begun = 0;
  const isOver = (now: number): boolean => (plan.count === undefined ? now >= deadline : begun >= plan.count);
  const drive = (connection: RawConnection): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const sent = performance.now();
        if (isOver(sent)) {
          resolve();
          return;
        }
        begun += 1;
        connection.send(
          make(),
          (status) => {
            latencies.add(performance.now() - sent);
            statuses[status] = (statuses[status] ?? 0) + 1;
            next();
          },
          reject,
        );
      };
      next();
    });
  await Promise.all(connections.map(drive));
  const seconds = (performance.now() - start) / 1000;
  for (const connection of connections) connection.close();
  const sorted = latencies.sorted();
  return {
    requests: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
    statuses,
  };
};

const report = await run(JSON.parse(process.argv[2] ?? '{}') as LoadPlan);
process.stdout.write(JSON.stringify(report));
