import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/plugin-api.ts';
import type { ProcessMetrics } from './exposition.ts';
import type { MetricJson } from './metric-json.ts';

/** How often a process writes down its metrics for its neighbours. */
export const WRITE_INTERVAL_MS = 5_000;
/** What was written earlier belongs to a process that is gone. */
const STALE_MS = 4 * WRITE_INTERVAL_MS;
const FILE = /^process-(\d{1,3})\.json$/;

interface Written {
  readonly writtenMs: number;
  readonly metrics: readonly MetricJson[];
}

export interface NeighbourParts {
  readonly clock: Clock;
  /** A folder that the processes of this node share, and no other node. */
  readonly folder: string;
  /** Place of this process among them. */
  readonly place: number;
}

/**
 * What the other processes behind the port have measured. A scrape reaches one process, so each writes its metrics
 * into a file now and then, and whichever is scraped shows all of them.
 */
export class NeighbourMetrics {
  readonly #parts: NeighbourParts;

  constructor(parts: NeighbourParts) {
    this.#parts = parts;
  }

  /** Makes this process's metrics known to the others. */
  async write(metrics: readonly MetricJson[]): Promise<void> {
    const { clock, folder, place } = this.#parts;
    const path = join(folder, `process-${place}.json`);
    const draft = `${path}.draft`;
    const written: Written = { writtenMs: clock.nowMs(), metrics };
    await writeFile(draft, JSON.stringify(written), { mode: 0o600 });
    await rename(draft, path);
  }

  /** What the others wrote, as far as they still run. */
  async read(): Promise<ProcessMetrics[]> {
    const { clock, folder, place } = this.#parts;
    const found: ProcessMetrics[] = [];
    for (const name of (await readdir(folder)).sort()) {
      const other = FILE.exec(name)?.[1];
      if (other === undefined || Number(other) === place) continue;
      const written = await readWritten(join(folder, name));
      if (written === undefined || Math.abs(clock.nowMs() - written.writtenMs) > STALE_MS) continue;
      found.push({ process: other, metrics: written.metrics });
    }
    return found;
  }

  /** Takes this process's file away. */
  async end(): Promise<void> {
    await rm(join(this.#parts.folder, `process-${this.#parts.place}.json`), { force: true });
  }
}

/** Undefined where the file went meanwhile, or holds something else. */
const readWritten = async (path: string): Promise<Written | undefined> => {
  try {
    const written = JSON.parse(await readFile(path, 'utf8')) as Written;
    return Array.isArray(written.metrics) ? written : undefined;
  } catch {
    return undefined;
  }
};
