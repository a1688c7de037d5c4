import { type Principal, ServiceError } from '../../kernel/plugin-api.ts';

/** Streams that one process serves: each holds a connection. */
export const MAX_STREAMS = 512;
/**
 * Streams of one key. While fewer places are left, a key gets no more than half of them, so that another key finds one.
 */
export const MAX_STREAMS_PER_KEY = 64;

/** The places that streams take in one process. */
export class StreamSlots {
  readonly #taken = new Map<string, number>();
  #open = 0;

  /** Streams that are open now. */
  get open(): number {
    return this.#open;
  }

  /**
   * Takes a place for a stream of the caller and returns what gives it back, which may be called again. A client that
   * has left already, or leaves later, gives its place back as well. Throws `limit_reached` when the key has its share,
   * `unavailable` when no place is left.
   */
  take(caller: Principal, signal: AbortSignal): () => void {
    const holder = JSON.stringify([caller.tenantId, caller.keyId ?? caller.entityUri]);
    const own = this.#taken.get(holder) ?? 0;
    const left = MAX_STREAMS - this.#open;
    if (left <= 0) {
      throw new ServiceError('unavailable', 'too many streams are open', { headers: { 'Retry-After': '5' } });
    }
    if (own >= Math.max(1, Math.min(MAX_STREAMS_PER_KEY, Math.floor(left / 2)))) {
      throw new ServiceError('limit_reached', 'the key has as many streams open as it may have at once', {
        hint: 'close a stream of this key first; one stream is enough for all readers of a subscription',
      });
    }
    this.#count(holder, 1);
    let isTaken = true;
    const giveBack = (): void => {
      if (!isTaken) return;
      isTaken = false;
      signal.removeEventListener('abort', giveBack);
      this.#count(holder, -1);
    };
    // A signal that has fired already tells nobody again.
    if (signal.aborted) giveBack();
    else signal.addEventListener('abort', giveBack, { once: true });
    return giveBack;
  }

  #count(holder: string, change: 1 | -1): void {
    this.#open += change;
    const own = (this.#taken.get(holder) ?? 0) + change;
    if (own === 0) this.#taken.delete(holder);
    else this.#taken.set(holder, own);
  }
}
