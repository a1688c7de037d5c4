import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '../../kernel/plugin-api.ts';
import type { ProcessMetrics } from './exposition.ts';
import type { MetricJson } from './metric-json.ts';

/** How often a process writes its metrics for its neighbours. */
export const WRITE_INTERVAL_MS = 5_000;
/** An older file belongs to a process that has ended. */
const STALE_MS = 4 * WRITE_INTERVAL_MS;
const FILE = /^process-(\d{1,3})\.json$/;

interface Written {
  readonly writtenMs: number;
  readonly metrics: readonly MetricJson[];
}

export interface NeighbourParts {
  readonly clock: Clock;
  /** A folder that only the processes of this node share. */
  readonly folder: string;
  /** Index of this process among them. */
  readonly place: number;
  readonly log: Logger;
}

/**
 * Shares the metrics of the processes behind one port. A scrape reaches only one of them, so each writes its metrics to
 * a file, and the scraped one reads the files of the others.
 */
export class NeighbourMetrics {
  readonly #parts: NeighbourParts;
  #isUnreadable = false;

  constructor(parts: NeighbourParts) {
    this.#parts = parts;
  }

  /** Publishes this process's metrics to the others. */
  async write(metrics: readonly MetricJson[]): Promise<void> {
    const { clock, folder, place } = this.#parts;
    const path = join(folder, `process-${place}.json`);
    const draft = `${path}.draft`;
    const written: Written = { writtenMs: clock.nowMs(), metrics };
    await writeFile(draft, JSON.stringify(written), { mode: 0o600 });
    await rename(draft, path);
  }

  /** Returns the metrics of the other running processes; those of none while the folder cannot be read. */
  async read(): Promise<ProcessMetrics[]> {
    const { clock, folder, place } = this.#parts;
    const found: ProcessMetrics[] = [];
    for (const name of await this.#files()) {
      const other = FILE.exec(name)?.[1];
      if (other === undefined || Number(other) === place) continue;
      const written = await readWritten(join(folder, name));
      if (written === undefined || Math.abs(clock.nowMs() - written.writtenMs) > STALE_MS) continue;
      found.push({ process: other, metrics: written.metrics });
    }
    return found;
  }

  /** Warns once of a folder that cannot be read, because a scrape shows at least its own process then. */
  async #files(): Promise<readonly string[]> {
    const { folder, log } = this.#parts;
    try {
      const names = (await readdir(folder)).sort();
      this.#isUnreadable = false;
      return names;
    } catch (error) {
      if (!this.#isUnreadable)
        log.warn('a scrape shows this process alone: the folder of metrics is unreadable', { folder, error });
      this.#isUnreadable = true;
      return [];
    }
  }

  /** Removes this process's file. */
  async end(): Promise<void> {
    await rm(join(this.#parts.folder, `process-${this.#parts.place}.json`), { force: true });
  }
}

/** Undefined if the file was removed meanwhile, or is malformed. */
const readWritten = async (path: string): Promise<Written | undefined> => {
  try {
    const written = JSON.parse(await readFile(path, 'utf8')) as Written;
    return Array.isArray(written.metrics) ? written : undefined;
  } catch {
    return undefined;
  }
};
