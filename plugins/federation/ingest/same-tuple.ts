import { contentId, parseHlc, REDACTED_REFERENCE } from '../../../kernel/internal-api.ts';
import { compareHlc, type FactOutline, type Hlc, parseInstant } from '../../../kernel/plugin-api.ts';
import type { FederatedFact } from '../proofs/origin-proof.ts';

type Draft = FederatedFact['draft'];
type Stored = Pick<FactOutline, 'cid' | 'timestampMs' | 'hlc' | 'derivedFrom' | 'replaces'> & Validity;

/** The time span in which a fact is valid; null for a missing limit. */
export type Validity = Pick<FactOutline, 'validFromMs' | 'validUntilMs'>;

/**
 * Returns true if a stored fact equals the one that a peer sends with the same id. The content id covers entity,
 * relation, value, source, scope and confidence. An erased fact has no content left, so any fact with its id counts as
 * equal.
 */
export const isSameTuple = (stored: Stored, draft: Draft): boolean =>
  stored.cid === '' ||
  (stored.cid === contentId(draft) &&
    stored.timestampMs === parseInstant(draft.timestamp) &&
    compareHlc(stored.hlc, parseHlc(draft.hlcText) as Hlc) === 0 &&
    isSameList(stored.derivedFrom, draft.derivedFrom ?? []) &&
    isSameList(stored.replaces, draft.replaces ?? []));

/** Returns true if the received fact begins earlier or expires later than the stored one. */
export const wouldExtend = ({ validFromMs, validUntilMs }: Validity, { validFrom, validUntil }: Draft): boolean => {
  const begins = validFrom == null ? null : parseInstant(validFrom);
  const ends = validUntil == null ? null : parseInstant(validUntil);
  return (
    (validFromMs !== null && (begins === null || begins < validFromMs)) ||
    (validUntilMs !== null && (ends === null || ends > validUntilMs))
  );
};

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((reference, at) => isSameReference(reference, b[at]));

/** Compares two references. A redacted reference equals every reference, because its target is unknown. */
const isSameReference = (one: string, other: string | undefined): boolean =>
  one === other || one === REDACTED_REFERENCE || other === REDACTED_REFERENCE;
