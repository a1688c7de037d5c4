import type { Conflict, Fact, FactClient } from '../../../../../client/client.ts';
import { isNewer, readRivals } from './rivals.ts';

/** The most rivals of one contradiction that are compared. */
const MOST_RIVALS = 100;

/** An open contradiction with the values that still hold. */
export interface OpenRivals {
  readonly conflict: Conflict;
  /** Newest first. */
  readonly rivals: readonly Fact[];
}

/** A contradiction and the value that settles it. */
export interface Settling {
  readonly conflict: Conflict;
  readonly winner: Fact;
  /** The values that end. */
  readonly losers: readonly Fact[];
}

/** Reads the rivals of several contradictions. Two come with each, so most of them need no request. */
export const readOpenRivals = async (
  client: FactClient,
  conflicts: readonly Conflict[],
  signal: AbortSignal,
): Promise<readonly OpenRivals[]> => {
  const found: OpenRivals[] = [];
  for (const conflict of conflicts) {
    const rivals = await readRivals(client, conflict, { limit: MOST_RIVALS, signal });
    found.push({ conflict, rivals: rivals.filter(({ contradicted }) => contradicted) });
  }
  return found;
};

/** The sources of the rivals, each with the number of contradictions that it can settle, the most first. */
export const sourcesOf = (open: readonly OpenRivals[]): readonly (readonly [source: string, count: number])[] => {
  const counts = new Map<string, number>();
  for (const { rivals } of open) {
    for (const source of new Set(rivals.map((fact) => fact.source))) counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return [...counts].sort(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
};

/** Chooses the newest value of each contradiction; with `source`, the newest of this source. */
export const planSettling = (open: readonly OpenRivals[], source: string | undefined): readonly Settling[] =>
  open.flatMap(({ conflict, rivals }) => {
    const [winner] = rivals
      .filter((fact) => source === undefined || fact.source === source)
      .sort((one, other) => (isNewer(one, other) ? -1 : 1));
    return winner === undefined ? [] : [{ conflict, winner, losers: rivals.filter((fact) => fact !== winner) }];
  });
