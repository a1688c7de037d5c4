import { matchKey, type ServiceNames, type StoredFact } from '../../kernel/plugin-api.ts';
import type { SourceTrust } from './trust-rules.ts';

/** The members of a fact that identify its speaker. */
export type Spoken = Pick<StoredFact, 'sourceKey' | 'assertedBy' | 'receivedFrom' | 'attested'> & {
  /** Node id of the origin of a received fact, if that node has signed it. */
  readonly verifiedOrigin?: string | null;
};

/**
 * Returns the trust in the actual author, which may differ from the named source. The rule of the source applies if the
 * source is certainly the author: the fact is attested, or the source is the asserting entity. Otherwise the lower of
 * both rules applies, because any caller could use a trusted name. A signature does not change that, because it proves
 * only the asserting entity. The author of a received fact is the node that signed it as its origin, otherwise the peer
 * that sent it. Without a known author, the source counts at most as an unknown one.
 */
export const trustOfFact = (fact: Spoken, trust: SourceTrust, names: ServiceNames): number => {
  const named = trust.of(fact.sourceKey);
  if (fact.attested === true && fact.receivedFrom === null) return named;
  const speaker = fact.verifiedOrigin ?? fact.receivedFrom ?? fact.assertedBy;
  if (speaker === null) return Math.min(named, trust.unknown);
  const speakerKey = matchKey(speaker, names);
  return speakerKey === fact.sourceKey ? named : Math.min(named, trust.of(speakerKey));
};
