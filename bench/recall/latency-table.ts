import { figure, printTable } from '../report/print-table.ts';

/** Collects times by size of the store and by operation, and prints them in the order of their first appearance. */
export class LatencyTable {
  readonly #title: string;
  readonly #yardstick: string | undefined;
  readonly #rows = new Map<
    string,
    { readonly facts: number; readonly name: string; readonly ms: number[]; cpuMs: number }
  >();

  /** `yardstick` names the row with which the others are compared, for each size of the store. */
  constructor(title: string, yardstick?: string) {
    this.#title = title;
    this.#yardstick = yardstick;
  }

  add(facts: number, name: string, ms: number): void {
    this.#row(facts, name).ms.push(ms);
  }

  /** Adds processor time of the node for this operation, in milliseconds. */
  addCpu(facts: number, name: string, ms: number): void {
    this.#row(facts, name).cpuMs += ms;
  }

  /** Returns a quantile of an operation in milliseconds. */
  ms(facts: number, name: string, share: number): number {
    return quantile(Float64Array.from(this.#row(facts, name).ms).sort(), share);
  }

  /** Returns the mean processor time of the node for an operation, in milliseconds. */
  cpuMs(facts: number, name: string): number {
    const { cpuMs, ms } = this.#row(facts, name);
    return cpuMs / ms.length;
  }

  print(): void {
    const p50Of = new Map<string, number>();
    const lines = [...this.#rows.values()].map(({ facts, name, ms, cpuMs }) => {
      const sorted = Float64Array.from(ms).sort();
      const p50 = quantile(sorted, 0.5);
      const p95 = quantile(sorted, 0.95);
      const smallest = p50Of.get(name) ?? p50;
      p50Of.set(name, smallest);
      return [
        name,
        figure(facts),
        figure(p50, 2),
        figure(p95, 2),
        figure(p95 / p50, 1),
        cpuMs === 0 ? '' : figure(cpuMs / ms.length, 2),
        figure(p50 / smallest, 1),
        ...(this.#yardstick === undefined ? [] : [figure(p50 / this.ms(facts, this.#yardstick, 0.5), 2)]),
      ];
    });
    const columns = ['facts', 'p50 ms', 'p95 ms', 'p95/p50', 'cpu ms', 'growth of p50'];
    const compared = this.#yardstick === undefined ? [] : [`× ${this.#yardstick}`];
    printTable([this.#title, ...columns, ...compared], lines);
  }

  #row(facts: number, name: string) {
    const key = `${facts} ${name}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = { facts, name, ms: [], cpuMs: 0 };
    this.#rows.set(key, row);
    return row;
  }
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
