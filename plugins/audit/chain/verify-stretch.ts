import { type ChainPlace, isSameLink } from '../../../kernel/internal-api.ts';
import type { ChainProblem, RecordedEntry } from '../audit-api.ts';
import { detailHash, linkAfter } from './entry-link.ts';
import type { LinkedEntry } from './linked-rows.ts';

export interface VerifiedStretch {
  /** The last valid chain place; undefined without one. */
  readonly place: ChainPlace | undefined;
  /** The number of valid links. */
  readonly checked: number;
  /** The number of those whose detail is gone. */
  readonly detailsGone: number;
  readonly problem: ChainProblem | undefined;
}

/**
 * Hashes the entries after a chain place again. `from` is undefined at the start of the log. A detail may be gone only
 * from an entry before `keptFromMs`, which the retention is about to delete: a restored backup has such entries.
 */
export const verifyStretch = (
  from: ChainPlace | undefined,
  entries: readonly LinkedEntry[],
  keptFromMs: number,
): VerifiedStretch => {
  let place = from;
  let checked = 0;
  let detailsGone = 0;
  for (const linked of entries) {
    const problem = problemOf(place, linked, keptFromMs);
    if (problem !== undefined) return { place, checked, detailsGone, problem };
    place = { number: linked.entry.seq, link: linked.link };
    checked += 1;
    if (linked.entry.detailIsGone) detailsGone += 1;
  }
  return { place, checked, detailsGone, problem: undefined };
};

const problemOf = (
  place: ChainPlace | undefined,
  { entry, link }: LinkedEntry,
  keptFromMs: number,
): ChainProblem | undefined => {
  const chainSeq = (place?.link.seq ?? 0) + 1;
  const at = { seq: entry.seq, chainSeq, entryId: entry.id };
  if (link.seq > chainSeq) return { reason: 'an entry is missing', seq: null, chainSeq, entryId: null };
  if (link.seq < chainSeq) return { reason: 'an entry was put in or moved', ...at };
  if (!isSameLink(expectedLink(place, { entry, link }), link) || !hasItsDetail(entry)) {
    return { reason: 'an entry was changed, put in or moved', ...at };
  }
  const isLost = entry.detailIsGone && entry.tsMs >= keptFromMs;
  return isLost ? { reason: 'the detail of an entry does not open with the present keys', ...at } : undefined;
};

const hasItsDetail = ({ detail, detailSalt, detailHash: hash, detailIsGone }: RecordedEntry): boolean =>
  detailIsGone || hash === (detail === null ? null : detailHash(detailSalt, detail));

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
