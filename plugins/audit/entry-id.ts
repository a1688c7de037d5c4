import { type Hlc, type LedgerEntry, sha256Hex } from '../../kernel/plugin-api.ts';

/**
 * Returns a stable id for the entry of a stored fact: a UUID (RFC 9562, version 8). It begins with the counter of the
 * feed stamp, so that entries of one instant sort by commit. It does not contain the entry's number, because that would
 * reveal how much others write. On another node the same fact has another feed stamp, and so another entry id.
 */
export const factEntryId = ({ tenantId, factId, feed }: Pick<LedgerEntry, 'tenantId' | 'factId' | 'feed'>): string => {
  const digest = sha256Hex(JSON.stringify([tenantId, factId, feed.wallMs, feed.counter]));
  const counter = feed.counter.toString(16).padStart(COUNTER_DIGITS, '0');
  return `${counter}-${digest.slice(0, 4)}-8${digest.slice(4, 7)}-8${digest.slice(7, 10)}-${digest.slice(10, 22)}`;
};

/**
 * Returns the feed stamp of the fact entry with this id at this instant. For an entry of another kind, returns the
 * stamp at which it would sort.
 */
export const feedOfEntry = (tsMs: number, id: string): Hlc => ({
  wallMs: tsMs,
  counter: Math.min(Number.parseInt(id.slice(0, COUNTER_DIGITS), 16), HIGHEST_COUNTER),
});

const COUNTER_DIGITS = 8;
const HIGHEST_COUNTER = 2 ** 31 - 1;
