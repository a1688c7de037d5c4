import { figure, printTable } from '../report/print-table.ts';
import type { LatencyTable } from './latency-table.ts';

/** The name of the recalls that the table shows. */
export const WHOLE_RECALL = 'recall, default weights';

export interface Sized {
  readonly facts: number;
  /** The memory after the recalls of a node that has just started. */
  readonly memoryMiB: number | null;
  /** The time until the node listens. */
  readonly startMs: number;
  /** The time from then until the end of the first recall that finds a known fact. */
  readonly firstMs: number;
  readonly stopMs: number;
  readonly appendsPerSecond: number;
  /** The processor time of one append in the processes of the node, in microseconds. */
  readonly appendCpuUs: number | null;
}

/** One way to serve a store. */
export interface Measured {
  readonly name: string;
  readonly dimensions: number;
  readonly workers: number;
  readonly yardstick: string;
  readonly table: LatencyTable;
  readonly sizes: Sized[];
}

/** Prints one table of all ways to serve a store, by the size of the store. */
export const printSizes = (measured: readonly Measured[]): void => {
  const sizes = [...new Set(measured.flatMap(({ sizes: each }) => each.map(({ facts }) => facts)))];
  printTable(
    [
      'served by',
      'facts',
      'MiB, reading',
      'listens s',
      'first recall after that s',
      'stop s',
      'recall p50 ms',
      'p95 ms',
      'cpu ms',
      '× stages',
      'appends/s',
      'cpu µs/append',
    ],
    sizes.flatMap((facts) =>
      measured.flatMap(({ name, table, yardstick, sizes: each }) =>
        each
          .filter((sized) => sized.facts === facts)
          .map((sized) => [
            name,
            figure(facts),
            figure(sized.memoryMiB),
            figure(sized.startMs / 1000, 2),
            figure(sized.firstMs / 1000, 2),
            figure(sized.stopMs / 1000, 2),
            figure(table.ms(facts, WHOLE_RECALL, 0.5), 1),
            figure(table.ms(facts, WHOLE_RECALL, 0.95), 1),
            figure(table.cpuMs(facts, WHOLE_RECALL), 1),
            figure(table.ms(facts, WHOLE_RECALL, 0.5) / table.ms(facts, yardstick, 0.5), 1),
            figure(sized.appendsPerSecond),
            figure(sized.appendCpuUs),
          ]),
      ),
    ),
  );
};
