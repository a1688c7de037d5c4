import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { IncrementFile } from '../../ports/ports.ts';
import { type ChainState, ChainStateFile, type StateChange } from './chain-state.ts';
import { INCREMENT_FORMAT, type PageStep, withinEnd, writeIncrement } from './increment-file.ts';
import { digestOfPage, type PageDigests } from './page-digests.ts';

/** Changes in memory beyond this are written before their time. */
const MOST_HELD_PAGES = 16_384;
/** A store without changes has an increment this often all the same, so that its age shows that recording goes on. */
const IDLE_MS = 10_000;
/** So many pages are compared between two looks at the log. */
const COMPARED_AT_ONCE = 500;

/** The whole database as of one moment, which stays readable until the chain has begun. */
export interface WholeStep extends PageStep {
  pageAt(number: number): Buffer;
}

/** Writes the files of one chain: a base, and then the changes since. */
export class ChainWriter {
  readonly #folder: string;
  readonly #state: ChainState;
  readonly #stateFile: ChainStateFile;
  readonly #onIncrement: (increment: IncrementFile) => void;
  #previous: IncrementFile | undefined;
  #hasBegun = false;
  #steps: PageStep[] = [];
  #held = 0;
  #mergeAt = MOST_HELD_PAGES;

  /** Without files in its state, the chain is new. */
  constructor(folder: string, state: ChainState, onIncrement: (increment: IncrementFile) => void) {
    this.#folder = join(folder, state.chain);
    this.#state = state;
    this.#onIncrement = onIncrement;
    this.#previous = state.files.at(-1);
    if (this.#previous === undefined) mkdirSync(this.#folder, { mode: 0o700 });
    this.#stateFile = new ChainStateFile(this.#folder, state);
  }

  get chain(): string {
    return this.#state.chain;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isFull(): boolean {
    return this.#hasBegun && this.#held >= MOST_HELD_PAGES;
  }

  /** Writes the base of a new chain; for one that goes on, the pages that differ from its last increment. */
  async begin(whole: WholeStep): Promise<void> {
    if (this.#previous === undefined) await this.#write([whole]);
    else await this.#write([await differenceOf(whole, this.#state.digests)], true);
    this.#hasBegun = true;
  }

  add(step: PageStep): void {
    this.#steps.push(step);
    this.#held += step.count;
    // A beginning takes long, and few pages change repeatedly meanwhile. Merging their steps bounds the memory.
    if (this.#hasBegun || this.#held < this.#mergeAt) return;
    const merged = mergedStep(this.#steps);
    this.#steps = [merged];
    this.#held = merged.count;
    this.#mergeAt = Math.max(MOST_HELD_PAGES, 2 * merged.count);
  }

  /** Writes the steps since the last file. Before the chain has begun they go on waiting. */
  async flush(idle: PageStep): Promise<void> {
    if (!this.#hasBegun || this.#previous === undefined) return;
    if (this.#steps.length === 0 && idle.atMs - this.#previous.untilMs < IDLE_MS) return;
    const steps = this.#steps.length === 0 ? [idle] : this.#steps;
    this.#steps = [];
    this.#held = 0;
    await this.#write(steps);
  }

  /** Keeps later recordings from going on with the chain. */
  end(): void {
    this.#stateFile.remove();
  }

  async #write(steps: readonly PageStep[], isResumed = false): Promise<void> {
    const header = {
      format: INCREMENT_FORMAT,
      chain: this.chain,
      number: this.#previous === undefined ? 0 : this.#previous.number + 1,
      previous: this.#previous?.sha256 ?? null,
      page_bytes: this.#state.pageBytes,
    } as const;
    const change = new DigestChange(this.#state.digests);
    this.#previous = await writeIncrement(this.#folder, header, steps.map(change.noted), isResumed);
    // The target gets no increment that the state does not know, so the state is never older than the target.
    this.#stateFile.add(this.#previous, change);
    this.#onIncrement(this.#previous);
  }
}

/** Sets the digests of the pages of steps while these are written. */
class DigestChange implements StateChange {
  readonly #digests: PageDigests;
  readonly #changed = new Set<number>();
  kept = Number.MAX_SAFE_INTEGER;

  constructor(digests: PageDigests) {
    this.#digests = digests;
  }

  get changed(): Iterable<number> {
    return [...this.#changed].filter((number) => number <= this.#digests.pages);
  }

  readonly noted = (step: PageStep): PageStep => {
    const note = (number: number, page: Buffer): void => {
      this.#digests.set(number, digestOfPage(page));
      this.#changed.add(number);
    };
    const cut = (): void => {
      this.#digests.cut(step.databasePages);
      this.kept = Math.min(this.kept, step.databasePages);
    };
    return {
      ...step,
      *pages() {
        for (const [number, page] of step.pages()) {
          note(number, page);
          yield [number, page] as const;
        }
        cut();
      },
    };
  };
}

/** Returns the pages that have another digest. Lets the process look at the log meanwhile. */
const differenceOf = async (whole: WholeStep, digests: PageDigests): Promise<PageStep> => {
  const changed: number[] = [];
  for (let number = 1; number <= whole.databasePages; number += 1) {
    if (!digests.has(number, whole.pageAt(number))) changed.push(number);
    if (number % COMPARED_AT_ONCE === 0) await setImmediate();
  }
  return {
    atMs: whole.atMs,
    databasePages: whole.databasePages,
    count: changed.length,
    *pages() {
      for (const number of changed) yield [number, whole.pageAt(number)] as const;
    },
  };
};

const mergedStep = (steps: readonly PageStep[]): PageStep => {
  const { atMs, databasePages } = steps.at(-1) ?? { atMs: 0, databasePages: 0 };
  const pages = new Map(
    withinEnd(
      steps.flatMap((step) => [...step.pages()]),
      databasePages,
    ),
  );
  return { atMs, databasePages, count: pages.size, pages: () => pages };
};
