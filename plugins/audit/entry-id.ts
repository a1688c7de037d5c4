import { type Hlc, type LedgerEntry, sha256Hex } from '../../kernel/plugin-api.ts';

/**
 * Identifier of the entry that a fact is: a UUID (RFC 9562, version 8), always the same. It begins with the counter of
 * the feed stamp, so that entries of one instant are in the order of their commits; the client that asserted the fact
 * knows the counter from its stamp. The number of the entry is not in it: readers of their own entries would learn how
 * much others write. A fact that another node has too has another feed stamp there, and so another entry.
 */
export const factEntryId = ({ tenantId, factId, feed }: Pick<LedgerEntry, 'tenantId' | 'factId' | 'feed'>): string => {
  const digest = sha256Hex(JSON.stringify([tenantId, factId, feed.wallMs, feed.counter]));
  const counter = feed.counter.toString(16).padStart(COUNTER_DIGITS, '0');
  return `${counter}-${digest.slice(0, 4)}-8${digest.slice(4, 7)}-8${digest.slice(7, 10)}-${digest.slice(10, 22)}`;
};

/** The feed stamp of an entry of this instant that has the identifier, or would have it if it were a fact's. */
export const feedOfEntry = (tsMs: number, id: string): Hlc => ({
  wallMs: tsMs,
  counter: Math.min(Number.parseInt(id.slice(0, COUNTER_DIGITS), 16), HIGHEST_COUNTER),
});

const COUNTER_DIGITS = 8;
const HIGHEST_COUNTER = 2 ** 31 - 1;
