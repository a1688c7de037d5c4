import { type LongValues, valueBytesOf } from '../../kernel/internal-api.ts';
import { type FactReader, type FactView, isIn, type StoredFact } from '../../kernel/plugin-api.ts';
import { BYTES_PER_TOKEN } from './fact-line.ts';
import type { ScoredFact } from './recall-api.ts';
import type { RecallRequest } from './recall-request.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * The maximum size of the long texts of candidates that one recall reads, and of packed texts that it then reads. The
 * budget holds 800 KB of text at most. A text takes up to twice its bytes in memory, and several recalls run at once.
 */
const MOST_OF_CANDIDATES = 16 * MEBIBYTE;
const MOST_OF_PACKED = 8 * MEBIBYTE;

/** A text of at most this size is read even if it exceeds the budget, because it may say the same as a shorter one. */
const ALWAYS_COMPARED = 64 * 1024;

/**
 * Limits the texts that one recall holds. A text that cannot fit into the budget is not read: its length suffices to
 * leave the fact out. A text beyond the limit of all candidates is read only once its fact is packed.
 */
export class CandidateTexts {
  readonly #each: number;
  #left = MOST_OF_CANDIDATES;

  constructor({ tokenBudget, maxValueBytes }: Pick<RecallRequest, 'tokenBudget' | 'maxValueBytes'>) {
    // A caller that cuts long values has room for each of them.
    this.#each =
      maxValueBytes === undefined ? Math.max(ALWAYS_COMPARED, tokenBudget * BYTES_PER_TOKEN) : MOST_OF_CANDIDATES;
  }

  /** Returns the limits of the next read of candidates. */
  limits(): LongValues {
    return { each: this.#each, total: this.#left };
  }

  /** Counts the texts that a read has returned. */
  count(facts: readonly StoredFact[]): void {
    this.#left = Math.max(0, this.#left - valueBytesOf(facts));
  }
}

/**
 * Reads the texts of packed facts that the candidates lacked, best first, and leaves out the facts beyond the limit.
 * Only a caller that cuts values can pack more text than that.
 */
export const withTexts = async <T extends ScoredFact>(
  packed: readonly T[],
  reader: FactReader,
): Promise<readonly T[]> => {
  const missing = packed.filter(({ view }) => view.fact.unreadBytes !== undefined);
  if (missing.length === 0) return packed;
  const ids = idsWithin(missing, MOST_OF_PACKED);
  const read = new Map<string, FactView>();
  const facts = await reader.find(isIn('id', ids), { view: 'live', order: 'any', limit: ids.length });
  for (const view of await reader.annotate(facts)) read.set(view.fact.id, view);
  return packed.flatMap((one) => {
    if (one.view.fact.unreadBytes === undefined) return one;
    const view = read.get(one.view.fact.id);
    return view === undefined ? [] : { ...one, view };
  });
};

const idsWithin = (facts: readonly ScoredFact[], mostBytes: number): string[] => {
  let bytes = 0;
  return facts.flatMap(({ view: { fact } }) => {
    bytes += fact.unreadBytes ?? 0;
    return bytes <= mostBytes ? fact.id : [];
  });
};
