/** The maximum number of recorded rejections of one sender per minute. */
export const REJECTIONS_PER_MINUTE = 60;

const WINDOW_MS = 60_000;
/** The maximum number of senders in memory, because one client may use many names. */
const MAX_WINDOWS = 4_096;

interface Window {
  readonly startedMs: number;
  recorded: number;
  suppressed: number;
}

interface RejectionRecord {
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Limits the recorded rejections, because they cost their sender nothing and must not fill the disk. */
export class RejectionWindows {
  readonly #perMinute: number;
  readonly #windows = new Map<string, Window>();

  constructor(perMinute: number = REJECTIONS_PER_MINUTE) {
    this.#perMinute = perMinute;
  }

  /**
   * Returns the entry to record, or null to drop it. `sender` identifies whose rejections count together. The detail of
   * the first entry in a new window contains the number of dropped ones before it, as `suppressed`.
   */
  admit<E extends RejectionRecord>(sender: readonly (string | null)[], entry: E, monotonicMs: number): E | null {
    const key = JSON.stringify(sender);
    const known = this.#windows.get(key);
    const isOver = known === undefined || monotonicMs - known.startedMs >= WINDOW_MS;
    const window = isOver ? this.#open(key, monotonicMs) : known;
    if (window.recorded >= this.#perMinute) {
      window.suppressed += 1;
      return null;
    }
    window.recorded += 1;
    const suppressed = isOver ? (known?.suppressed ?? 0) : 0;
    return suppressed === 0 ? entry : { ...entry, detail: { ...entry.detail, suppressed } };
  }

  #open(key: string, startedMs: number): Window {
    this.#windows.delete(key);
    // A map keeps the order of insertion, so its first key is the oldest.
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.delete(this.#windows.keys().next().value as string);
    const window = { startedMs, recorded: 0, suppressed: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
