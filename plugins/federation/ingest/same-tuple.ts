import {
  compareHlc,
  contentId,
  type FactOutline,
  type Hlc,
  parseHlc,
  parseInstant,
  REDACTED_REFERENCE,
} from '../../../kernel/plugin-api.ts';
import type { FederatedFact } from '../proofs/origin-proof.ts';

type Draft = FederatedFact['draft'];
type Stored = Pick<FactOutline, 'cid' | 'timestampMs' | 'hlc' | 'derivedFrom' | 'validUntilMs'>;

/**
 * Whether a stored fact is the one that a peer brings under the same id. The content id stands for entity, relation,
 * value, source, scope and confidence. What an erased fact said is not known any more, so every fact of its id is it.
 */
export const isSameTuple = (stored: Stored, draft: Draft): boolean =>
  stored.cid === '' ||
  (stored.cid === contentId(draft) &&
    stored.timestampMs === parseInstant(draft.timestamp) &&
    compareHlc(stored.hlc, parseHlc(draft.hlcText) as Hlc) === 0 &&
    isSameList(stored.derivedFrom, draft.derivedFrom ?? []));

/** Whether the fact would last longer than the stored one does. */
export const wouldExtend = ({ validUntilMs }: Pick<Stored, 'validUntilMs'>, { validUntil }: Draft): boolean => {
  if (validUntilMs === null) return false;
  const offeredMs = validUntil == null ? null : parseInstant(validUntil);
  return offeredMs === null || offeredMs > validUntilMs;
};

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((reference, at) => isSameReference(reference, b[at]));

/** What a redacted reference led to is not known any more, here or there. */
const isSameReference = (one: string, other: string | undefined): boolean =>
  one === other || one === REDACTED_REFERENCE || other === REDACTED_REFERENCE;
