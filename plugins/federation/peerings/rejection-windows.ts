import { REJECTIONS_PER_MINUTE } from '../../audit/audit-api.ts';
import type { FederationEvent } from './federation-log.ts';

const WINDOW_MS = 60_000;
/** A sender with many names must not fill the memory instead of the disk. */
const MAX_WINDOWS = 4_096;

interface Window {
  readonly startedMs: number;
  recorded: number;
  suppressed: number;
}

/** Decides which refusals of a peer are worth an entry. */
export class RejectionWindows {
  readonly #windows = new Map<string, Window>();

  /** The event to record, with the number of those that were left out before it, or null to leave this one out. */
  admit(event: FederationEvent, monotonicMs: number): FederationEvent | null {
    const key = JSON.stringify([event.tenantId, event.peerId, event.event.id]);
    const known = this.#windows.get(key);
    const isOver = known === undefined || monotonicMs - known.startedMs >= WINDOW_MS;
    const window = isOver ? this.#open(key, monotonicMs) : known;
    if (window.recorded >= REJECTIONS_PER_MINUTE) {
      window.suppressed += 1;
      return null;
    }
    window.recorded += 1;
    const suppressed = isOver ? (known?.suppressed ?? 0) : 0;
    return suppressed === 0 ? event : { ...event, detail: { ...event.detail, suppressed } };
  }

  #open(key: string, startedMs: number): Window {
    this.#windows.delete(key);
    // A map remembers insertion, so its first key is the oldest.
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.delete(this.#windows.keys().next().value as string);
    const window = { startedMs, recorded: 0, suppressed: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
