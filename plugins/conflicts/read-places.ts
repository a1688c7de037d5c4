import type { AppendedBatch, AppendedFact, WritableTables } from '../../kernel/plugin-api.ts';
import { openRecords } from './conflict-record.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { liveArrivals } from './live-facts.ts';
import { type LiveSiblings, liveSiblings } from './live-siblings.ts';
import { type PlaceState, placeOf } from './place-state.ts';
import { placeDigest, readTimelines } from './timeline-rows.ts';

interface ReadingParts {
  readonly nodeId: string;
  readonly hiddenRivals: HiddenRivals;
}

/** Reads the state of the triples once for the batch, by the id of the triple. */
export const readPlaces = async (
  batch: AppendedBatch,
  contenders: readonly AppendedFact[],
  tables: WritableTables,
  { nodeId, hiddenRivals }: ReadingParts,
): Promise<ReadonlyMap<string, PlaceState>> => {
  const byTriple = new Map(contenders.map((appended) => [appended.tripleId, appended]));
  const records = await openRecords(
    tables,
    contenders.map(({ fact }) => fact),
  );
  const siblings = await liveSiblings(batch, byTriple, hiddenRivals);
  const crowded = [...byTriple].filter(([id]) => siblings.get(id)?.isCrowded);
  const digests = crowded.map(([, { fact }]) => placeDigest(fact));
  const timelines = await readTimelines(tables, contenders[0]?.fact.tenantId ?? '', digests);
  const places = new Map<string, PlaceState>();
  for (const [id, appended] of byTriple) {
    const stored = timelines.get(placeDigest(appended.fact));
    const before = { stored, record: records.get(id), nodeId, nowMs: batch.nowMs };
    places.set(id, placeOf(appended, siblings.get(id) as LiveSiblings, before));
  }
  return places;
};

export interface Arrivals {
  /** The ids of the replicated facts that are live on arrival. */
  readonly arrivedLive: ReadonlySet<string>;
  /** The ids of the facts that contradict no others, because they are hidden beside visible ones. */
  readonly hidden: ReadonlySet<string>;
}

export const arrivalsOf = async (
  batch: AppendedBatch,
  contenders: readonly AppendedFact[],
  { hiddenRivals }: ReadingParts,
): Promise<Arrivals> => {
  const facts = contenders.map(({ fact }) => fact);
  return {
    arrivedLive: await liveArrivals(batch, contenders),
    hidden: await hiddenRivals(facts, batch.transaction),
  };
};
