import { LIST_BYTES, valueBytesOf } from '../../../kernel/internal-api.ts';
import { all, equals, type FactReader, type StoredFact } from '../../../kernel/plugin-api.ts';

const DAY_MS = 86_400_000;

/** The number of facts that one source said on one day. */
export interface DayTally {
  /** The day in UTC, as `2026-11-27`. */
  readonly day: string;
  readonly source: string;
  readonly facts: number;
}

export type FactPosition = Pick<StoredFact, 'timestampMs' | 'id'>;

export interface TallyPage {
  /** Newest day first; within a day the source with the most facts first. */
  readonly tallies: readonly DayTally[];
  /** The number of counted facts. */
  readonly counted: number;
  /** The last counted fact if further facts follow. */
  readonly next: FactPosition | null;
}

/**
 * Counts facts that the reader may see, of any state, by the day of their timestamp and by their source. Counts at most
 * `limit` facts after a position, newest first, so that one question costs no more than a long list of facts. A day
 * may go on in the next part.
 */
export const tallyDays = async (
  reader: FactReader,
  { after, limit }: { readonly after: FactPosition | undefined; readonly limit: number },
): Promise<TallyPage> => {
  const found = await reader.snapshot.find({
    filter: all(await reader.constraint('visible'), equals('system', false)),
    order: 'timestamp',
    limit: limit + 1,
    maxBytes: LIST_BYTES,
    ...(after === undefined ? {} : { after }),
  });
  const follows = found.length > limit || valueBytesOf(found) >= LIST_BYTES;
  const facts = found.slice(0, limit);
  const whole = facts.filter(({ damage }) => damage === undefined);
  return { tallies: talliesOf(whole), counted: whole.length, next: follows ? (facts.at(-1) ?? null) : null };
};

const talliesOf = (facts: readonly StoredFact[]): DayTally[] => {
  const days = new Map<number, Map<string, { source: string; facts: number }>>();
  for (const { timestampMs, source, sourceKey } of facts) {
    const day = Math.floor(timestampMs / DAY_MS);
    const sources = days.get(day) ?? new Map<string, { source: string; facts: number }>();
    days.set(day, sources);
    const known = sources.get(sourceKey);
    if (known === undefined) sources.set(sourceKey, { source, facts: 1 });
    else known.facts += 1;
  }
  return [...days].flatMap(([day, sources]) =>
    [...sources.values()]
      .sort((a, b) => b.facts - a.facts || (a.source < b.source ? -1 : 1))
      .map((each) => ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...each })),
  );
};
