import type { Clock, InboundReply, OutboundRequest, Transport } from '../../ports/ports.ts';

export interface Retries {
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  /** Returns a uniform random number in [0, 1). */
  readonly fraction: () => number;
  readonly attempts: number;
}

/**
 * Sends a request that may be repeated. Retries it when no reply came, and after a reply that may change (408, 429,
 * 5xx). The waits double from a quarter of a second. Each is shortened at random by at most a half, so that clients do
 * not retry at the same moment. Obeys `Retry-After` unless it requires a longer wait. Returns the last reply, or
 * rejects as the last attempt did.
 */
export const sendWithRetries = async (request: OutboundRequest, retries: Retries): Promise<InboundReply> => {
  for (let tried = 1; ; tried++) {
    const outcome = await settle(retries.transport.send(request));
    const asked = 'reply' in outcome ? retryAfterMs(outcome.reply, retries.clock) : undefined;
    const isLast = tried >= retries.attempts || (asked ?? 0) > LONGEST_ASKED_MS;
    if ('reply' in outcome && (isLast || !isPassing(outcome.reply.status))) return outcome.reply;
    if ('error' in outcome && isLast) throw outcome.error;
    const backOff = Math.min(FIRST_WAIT_MS * 2 ** (tried - 1), LONGEST_WAIT_MS) * (1 - retries.fraction() / 2);
    await wait(retries.clock, Math.max(asked ?? 0, backOff));
  }
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
const LONGEST_ASKED_MS = 30_000;

type Outcome = { readonly reply: InboundReply } | { readonly error: unknown };

const settle = (sent: Promise<InboundReply>): Promise<Outcome> =>
  sent.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Reads a `Retry-After` header in seconds or as a date (RFC 9110, 10.2.3); undefined when it is missing or invalid. */
const retryAfterMs = (reply: InboundReply, clock: Clock): number | undefined => {
  const header = reply.header('retry-after')?.trim();
  if (header === undefined || header === '') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.nowMs());
};

const wait = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.schedule(ms, resolve);
  });
