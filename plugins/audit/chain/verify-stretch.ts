import { type ChainPlace, isSameLink } from '../../../kernel/internal-api.ts';
import type { ChainProblem } from '../audit-api.ts';
import { linkAfter } from './entry-link.ts';
import type { LinkedEntry } from './linked-rows.ts';

export interface VerifiedStretch {
  /** The last valid chain place; undefined without one. */
  readonly place: ChainPlace | undefined;
  /** The number of valid links. */
  readonly checked: number;
  readonly problem: ChainProblem | undefined;
}

/** Hashes the entries after a chain place again. `from` is undefined at the start of the log. */
export const verifyStretch = (from: ChainPlace | undefined, entries: readonly LinkedEntry[]): VerifiedStretch => {
  let place = from;
  let checked = 0;
  for (const linked of entries) {
    const problem = problemOf(place, linked);
    if (problem !== undefined) return { place, checked, problem };
    place = { number: linked.entry.seq, link: linked.link };
    checked += 1;
  }
  return { place, checked, problem: undefined };
};

const problemOf = (place: ChainPlace | undefined, { entry, link }: LinkedEntry): ChainProblem | undefined => {
  const chainSeq = (place?.link.seq ?? 0) + 1;
  const at = { seq: entry.seq, chainSeq, entryId: entry.id };
  if (link.seq > chainSeq) return { reason: 'an entry is missing', seq: null, chainSeq, entryId: null };
  if (link.seq < chainSeq) return { reason: 'an entry was put in or moved', ...at };
  return isSameLink(expectedLink(place, { entry, link }), link)
    ? undefined
    : { reason: 'an entry was changed, put in or moved', ...at };
};

/**
 * Computes the link that an entry should have. Returns undefined for a row that cannot be hashed, such as one with an
 * invalid time.
 */
const expectedLink = (place: ChainPlace | undefined, { entry }: LinkedEntry) => {
  try {
    return linkAfter(place?.link ?? null, entry);
  } catch {
    return undefined;
  }
};
