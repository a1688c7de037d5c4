import type { AppendedBatch, AppendedFact, FactOutline, Hlc } from '../../kernel/plugin-api.ts';
import type { ConflictRecord } from './conflict-record.ts';
import type { LiveSiblings } from './live-siblings.ts';
import type { StoredTimeline } from './timeline-rows.ts';
import { TimelineSteps } from './timeline-steps.ts';
import { TripleHistory } from './triple-history.ts';
import { canTake, isContested, type LiveFact } from './winner-timeline.ts';

export type LiveOutline = Pick<
  FactOutline,
  | 'tenantId'
  | 'id'
  | 'valueKey'
  | 'confidence'
  | 'validFromMs'
  | 'validUntilMs'
  | 'system'
  | 'hlc'
  | 'speaker'
  | 'originNodeId'
  | 'originId'
  | 'replaces'
>;

/** The state of one triple in one garden during the batch. */
export interface PlaceState {
  readonly triple: AppendedFact['fact'];
  readonly history: TripleHistory<LiveOutline>;
  /** True if `history` does not contain all live facts, because there are too many. */
  readonly isCrowded: boolean;
  /** The stored winners; undefined if they cannot matter. */
  readonly stored: StoredTimeline | undefined;
  record: ConflictRecord | undefined;
  /** The live facts that may not be members of the open record yet. */
  outside: LiveOutline[];
  wasContested: boolean;
  /** The facts that the batch has added; undefined once it has ended a fact. */
  added: LiveOutline[] | undefined;
  /**
   * The highest stamps of the batch's resolutions of this triple. The key is the only speaker whose facts a resolution
   * ends, or null if it ends the facts of all.
   */
  readonly settledAt: Map<string | null, Hlc>;
  /** The changes that the batch makes to the live facts. */
  readonly steps: TimelineSteps<LiveOutline>;
}

interface PlaceBefore extends Pick<PlaceState, 'stored' | 'record'>, Pick<AppendedBatch, 'nowMs'> {
  readonly nodeId: string;
}

/** Returns the state of the triple and place of a fact before the batch. */
export const placeOf = (
  appended: AppendedFact,
  siblings: LiveSiblings,
  { stored, record, nodeId, nowMs }: PlaceBefore,
): PlaceState => {
  const history = new TripleHistory<LiveOutline>(siblings.facts, { nowMs, nodeId });
  return {
    triple: appended.fact,
    history,
    isCrowded: siblings.isCrowded,
    stored,
    record,
    outside: [...history.live],
    wasContested: history.isContested || isContested(stored, nowMs),
    added: [],
    settledAt: new Map(),
    steps: new TimelineSteps(history.live),
  };
};

/** Returns the facts whose expiry affects the winners. */
export const factsToWeigh = ({ isCrowded, steps, added }: PlaceState): readonly LiveOutline[] =>
  isCrowded ? (added ?? []) : steps.facts;

/** Returns true if the added facts need only the stored winners, and not the other facts of the triple. */
export const canExtend = (
  stored: StoredTimeline,
  { added = [] }: PlaceState,
  mortal: ReadonlyMap<string, LiveFact>,
  nowMs: number,
): boolean => {
  const facts = added.flatMap(({ id }) => mortal.get(id) ?? []);
  return isContested(stored, nowMs) && canTake(stored, facts, nowMs);
};
