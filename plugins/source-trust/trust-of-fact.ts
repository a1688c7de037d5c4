import { matchKey, type ServiceNames, type StoredFact } from '../../kernel/plugin-api.ts';
import type { SourceTrust } from './trust-rules.ts';

/** What of a fact says who spoke. */
export type Spoken = Pick<StoredFact, 'sourceKey' | 'assertedBy' | 'receivedFrom' | 'attested'> & {
  /** Node id of the origin of a received fact, where that node has signed it. */
  readonly verifiedOrigin?: string | null;
};

/**
 * Trust follows who spoke, not who is named. The source counts with its own rule where this node knows that it spoke:
 * the fact is attested, or the source is the entity that asserted it. Otherwise anybody could borrow a good name, so
 * the lower of the two rules counts. A signature does not lift that: it is made with a key of the asserting entity, so
 * it says who asserted and not that the source did. A received fact was spoken by the node that signed it as its
 * origin; without such a signature by the peer that sent it, whatever the fact says. Where nobody is known to have
 * spoken, the source gets no more than an unknown one.
 */
export const trustOfFact = (fact: Spoken, trust: SourceTrust, names: ServiceNames): number => {
  const named = trust.of(fact.sourceKey);
  if (fact.attested === true && fact.receivedFrom === null) return named;
  const speaker = fact.verifiedOrigin ?? fact.receivedFrom ?? fact.assertedBy;
  if (speaker === null) return Math.min(named, trust.unknown);
  const speakerKey = matchKey(speaker, names);
  return speakerKey === fact.sourceKey ? named : Math.min(named, trust.of(speakerKey));
};
