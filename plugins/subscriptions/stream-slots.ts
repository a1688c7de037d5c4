import { limitedEntity } from '../../kernel/internal-api.ts';
import { type Principal, ServiceError } from '../../kernel/plugin-api.ts';

/** The maximum number of streams per process, because each holds a connection. */
export const MAX_STREAMS = 512;
/**
 * The maximum number of streams per entity, for all of its keys and programs. When few slots are left, an entity gets
 * at most half of them, so that others get one.
 */
export const MAX_STREAMS_PER_ENTITY = 64;

/** The limited number of slots for streams of one process. */
export class StreamSlots {
  readonly #taken = new Map<string, number>();
  #open = 0;

  get open(): number {
    return this.#open;
  }

  /**
   * Takes a slot for a stream of the caller. Returns a function that releases it and may be called repeatedly. The slot
   * is also released when the client disconnects. Throws `limit_reached` if the entity has its maximum, `unavailable`
   * if no slot is left.
   */
  take(caller: Principal, signal: AbortSignal): () => void {
    const holder = JSON.stringify([caller.tenantId, limitedEntity(caller)]);
    const own = this.#taken.get(holder) ?? 0;
    const left = MAX_STREAMS - this.#open;
    if (left <= 0) {
      throw new ServiceError('unavailable', 'too many streams are open', { headers: { 'Retry-After': '5' } });
    }
    if (own >= Math.max(1, Math.min(MAX_STREAMS_PER_ENTITY, Math.floor(left / 2)))) {
      throw new ServiceError('limit_reached', 'the entity has as many streams open as it may have at once', {
        hint: 'close a stream of one of its keys first; one stream is enough for all readers of a subscription',
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
    // An aborted signal emits no further event.
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
