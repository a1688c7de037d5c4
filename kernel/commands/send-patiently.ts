import { type Clock, ServiceError } from '../../ports/ports.ts';
import type { CommandServer, ServerReply, ServerRequest } from './command-server.ts';

/** The pauses between tries in milliseconds. After the last one, the request has failed. */
const RETRY_DELAYS_MS = [100, 500, 2_000, 5_000, 10_000] as const;
const MAX_RETRY_AFTER_S = 60;
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** The node, and the clock for the pauses between tries. */
export interface PatientTarget {
  readonly server: Pick<CommandServer, 'send'>;
  readonly clock: Clock;
  /**
   * Turns a refusal into an error, for a caller that runs no command. Default: `refusedRequest`, whose hints name
   * options of commands.
   */
  readonly refusalOf?: (reply: ServerReply) => ServiceError;
}

export interface Patience {
  /**
   * Whether the node has replied before. If not, a missing reply is final, because a wrong address is likelier than a
   * node that is about to start.
   */
  readonly answeredBefore: boolean;
  /** Called before every pause. */
  onPause(why: ServerReply | ServiceError, delayMs: number): void;
}

/**
 * Sends a write, and retries while the node is briefly unreachable or requests a pause. An Idempotency-Key prevents
 * storing it twice. Resolves to the last reply of any status; rejects with `unavailable` without a reply.
 */
export const sendPatiently = async (
  { server, clock }: PatientTarget,
  request: ServerRequest & { readonly headers: { readonly 'idempotency-key': string } },
  { answeredBefore, onPause }: Patience,
): Promise<ServerReply> => {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await server.send(request).catch(noReply);
    const delayMs = RETRY_DELAYS_MS[attempt];
    if (reply instanceof ServiceError) {
      if (delayMs === undefined || (attempt === 0 && !answeredBefore)) throw reply;
    } else if (delayMs === undefined || !asksForPatience(reply)) return reply;
    const pauseMs = reply instanceof ServiceError ? delayMs : Math.max(delayMs, retryAfterMs(reply));
    onPause(reply, pauseMs);
    await new Promise<void>((resolve) => void clock.schedule(pauseMs, resolve));
  }
};

const noReply = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error;
  throw error;
};

/** Returns the pause that the node requests. */
const retryAfterMs = (reply: ServerReply): number =>
  Math.min(Number(reply.header('retry-after') ?? 0) || 0, MAX_RETRY_AFTER_S) * 1_000;

const asksForPatience = ({ status, document }: ServerReply): boolean =>
  RETRIED_STATUSES.has(status) || (status === 409 && document['code'] === 'idempotency_in_progress');
