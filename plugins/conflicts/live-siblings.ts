import { lastStampOf, SIBLING_LIMIT, ZERO_HLC } from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  type AppendedFact,
  compareHlc,
  type FactOutline,
  type Hlc,
} from '../../kernel/plugin-api.ts';
import { type HiddenRivals, withoutHidden } from './hidden-rivals.ts';

/** The live facts of a triple from before a batch that may contradict others, strongest first. */
export interface LiveSiblings {
  readonly facts: readonly FactOutline[];
  /** True if there are too many to read them all. */
  readonly isCrowded: boolean;
}

/** Returns the siblings of each triple of these facts, without those that are hidden beside visible ones. */
export const liveSiblings = async (
  batch: AppendedBatch,
  contenders: ReadonlyMap<string, AppendedFact>,
  hiddenRivals: HiddenRivals,
): Promise<ReadonlyMap<string, LiveSiblings>> => {
  const { transaction, nowMs } = batch;
  const read = [...contenders].map(([id, one]) => ({ id, fact: one.fact, siblings: batch.siblings(one) }));
  const hidden = await hiddenRivals(
    read.flatMap(({ siblings }) => siblings),
    transaction,
  );
  // The batch is stored already, and has ended facts.
  const before = justBefore(batch.facts.map(({ fact }) => fact.feed).sort(compareHlc)[0] ?? ZERO_HLC);
  const found = new Map<string, LiveSiblings>();
  for (const { id, fact, siblings } of read) {
    const within = { triple: fact, store: transaction, moment: { nowMs, asOf: before }, hiddenRivals };
    const facts = await withoutHidden(siblings, hidden, SIBLING_LIMIT, within);
    found.set(id, { facts, isCrowded: facts.length >= SIBLING_LIMIT });
  }
  return found;
};

/** Returns the last moment before a stamp. */
export const justBefore = ({ wallMs, counter }: Hlc): Hlc =>
  counter > 0 ? { wallMs, counter: counter - 1 } : lastStampOf(wallMs - 1);
