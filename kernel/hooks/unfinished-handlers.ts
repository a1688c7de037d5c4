import type { Clock } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';

/** A handler that has not finished after this time is logged: its caller may wait for ever. */
export const UNFINISHED_HANDLER_MS = 60_000;

/** One call of a handler that returned a promise. */
export interface HandlerCall {
  readonly plugin: string;
  readonly hook: string;
  readonly sinceMs: number;
}

interface Stuck {
  readonly plugin: string;
  readonly hook: string;
  calls: number;
  waitedMs: number;
}

/**
 * Logs handlers that do not finish, because nothing else names the plugin that holds up a request. One timer serves all
 * calls, since hooks run in every request: each call is logged once, at most two minutes after it began.
 */
export class UnfinishedHandlers {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** In the order in which they began. Without the calls that were logged. */
  readonly #calls = new Set<HandlerCall>();
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  begin(plugin: string, hook: string, sinceMs: number): HandlerCall {
    const call = { plugin, hook, sinceMs };
    this.#calls.add(call);
    if (this.#cancel === undefined) this.#arm();
    return call;
  }

  end(call: HandlerCall | undefined): void {
    if (call !== undefined) this.#calls.delete(call);
  }

  /** Leaves no timer. Calls are no longer logged. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #arm(): void {
    if (this.#closed) return;
    this.#cancel = this.#clock.schedule(UNFINISHED_HANDLER_MS, () => {
      this.#cancel = undefined;
      this.#report();
      if (this.#calls.size > 0) this.#arm();
    });
  }

  #report(): void {
    const nowMs = this.#clock.monotonicMs();
    const stuck = new Map<string, Stuck>();
    for (const call of this.#calls) {
      const { plugin, hook, sinceMs } = call;
      const waitedMs = nowMs - sinceMs;
      if (waitedMs < UNFINISHED_HANDLER_MS) break;
      this.#calls.delete(call);
      const id = `${plugin} ${hook}`;
      const entry = stuck.get(id) ?? { plugin, hook, calls: 0, waitedMs };
      stuck.set(id, { ...entry, calls: entry.calls + 1 });
    }
    for (const entry of stuck.values()) this.#log.warn('a hook handler has not finished', { ...entry });
  }
}
