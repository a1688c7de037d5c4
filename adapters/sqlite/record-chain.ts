import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IncrementFile } from '../../ports/ports.ts';
import { INCREMENT_FORMAT, type PageStep, writeIncrement } from './increment-file.ts';

/** Changes in memory beyond this are written before their time. */
const MOST_HELD_PAGES = 16_384;
/** A store without changes has an increment this often all the same, so that its age shows that recording goes on. */
const IDLE_MS = 10_000;

/** Writes the files of one chain: a base, and then the changes since. */
export class ChainWriter {
  readonly chain: string;
  readonly #folder: string;
  readonly #pageBytes: number;
  readonly #onIncrement: (increment: IncrementFile) => void;
  #previous: IncrementFile | undefined;
  #steps: PageStep[] = [];
  #held = 0;
  #mergeAt = MOST_HELD_PAGES;

  constructor(folder: string, chain: string, pageBytes: number, onIncrement: (increment: IncrementFile) => void) {
    this.chain = chain;
    this.#folder = join(folder, chain);
    this.#pageBytes = pageBytes;
    this.#onIncrement = onIncrement;
    mkdirSync(this.#folder, { mode: 0o700 });
  }

  get hasBase(): boolean {
    return this.#previous !== undefined;
  }

  get isFull(): boolean {
    return this.hasBase && this.#held >= MOST_HELD_PAGES;
  }

  writeBase(base: PageStep): Promise<void> {
    return this.#write([base]);
  }

  add(step: PageStep): void {
    this.#steps.push(step);
    this.#held += step.count;
    // Writing a base takes long, and few pages change repeatedly meanwhile. Merging their steps bounds the memory.
    if (this.hasBase || this.#held < this.#mergeAt) return;
    const merged = mergedStep(this.#steps);
    this.#steps = [merged];
    this.#held = merged.count;
    this.#mergeAt = Math.max(MOST_HELD_PAGES, 2 * merged.count);
  }

  /** Writes the steps since the last file. Without a base they go on waiting. */
  async flush(idle: PageStep): Promise<void> {
    if (this.#previous === undefined) return;
    if (this.#steps.length === 0 && idle.atMs - this.#previous.untilMs < IDLE_MS) return;
    const steps = this.#steps.length === 0 ? [idle] : this.#steps;
    this.#steps = [];
    this.#held = 0;
    await this.#write(steps);
  }

  async #write(steps: readonly PageStep[]): Promise<void> {
    const header = {
      format: INCREMENT_FORMAT,
      chain: this.chain,
      number: this.#previous === undefined ? 0 : this.#previous.number + 1,
      previous: this.#previous?.sha256 ?? null,
      page_bytes: this.#pageBytes,
    } as const;
    this.#previous = await writeIncrement(this.#folder, header, steps);
    this.#onIncrement(this.#previous);
  }
}

const mergedStep = (steps: readonly PageStep[]): PageStep => {
  const { atMs, databasePages } = steps.at(-1) ?? { atMs: 0, databasePages: 0 };
  const pages = new Map(steps.flatMap((step) => [...step.pages()]));
  // A commit that shrinks the database leaves pages of earlier ones that are no part of it any more.
  for (const number of pages.keys()) if (number > databasePages) pages.delete(number);
  return { atMs, databasePages, count: pages.size, pages: () => pages };
};
