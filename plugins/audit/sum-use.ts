import { all, type FactReader, isIn } from '../../kernel/plugin-api.ts';
import type { DayUse, RecordedEntry } from './audit-api.ts';
import { openDetail } from './audit-entry-json.ts';
import { FACT_WRITE } from './audit-words.ts';

const DAY_MS = 86_400_000;
/** The action of an entry about a recall, in its detail. */
const RECALL = 'recall';

type Sums = { -readonly [Member in keyof DayUse]: DayUse[Member] };

/** Sums up entries, newest first, by day, entity and key. */
export const sumUse = async (entries: readonly RecordedEntry[], reader: FactReader): Promise<DayUse[]> => {
  const sizes = await writtenBytes(entries, reader);
  const days = new Map<string, Sums>();
  for (const { tsMs, entityUri, event, factId, detail } of entries) {
    const { action, key_id: key, tokens, bytes } = openDetail(detail ?? '{}');
    const keyId = typeof key === 'string' ? key : null;
    const day = new Date(Math.floor(tsMs / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
    const place = JSON.stringify([day, entityUri, keyId]);
    const sums = days.get(place) ?? { ...NOTHING, day, entityUri, keyId };
    days.set(place, sums);
    if (event === FACT_WRITE.id) {
      sums.writes += 1;
      sums.writtenBytes += sizes.get(factId ?? '') ?? 0;
    } else if (action === RECALL) {
      sums.recalls += 1;
      sums.tokens += numberOf(tokens);
      sums.recalledBytes += numberOf(bytes);
    } else {
      sums.others += 1;
    }
  }
  return [...days.values()];
};

/** Counts of nothing, for sums. */
export const NOTHING = { reads: 0, writes: 0, recalls: 0, others: 0, tokens: 0, writtenBytes: 0, recalledBytes: 0 };

/** Entries of earlier versions lack some members. */
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Returns the bytes of the values of stored facts that the caller may see, by id. */
const writtenBytes = async (
  entries: readonly RecordedEntry[],
  reader: FactReader,
): Promise<ReadonlyMap<string, number>> => {
  const ids = entries.flatMap(({ event, factId }) => (event === FACT_WRITE.id && factId !== null ? [factId] : []));
  if (ids.length === 0 || !reader.caller.permissions.has('read')) return new Map();
  const visible = all(await reader.constraint('visible'), isIn('id', ids));
  return new Map((await reader.snapshot.outline(visible)).map(({ id, valueBytes }) => [id, valueBytes]));
};
