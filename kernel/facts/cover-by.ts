import type { Cover, Hlc, PreparedFact, StoredFact, TripleKey } from '../../ports/ports.ts';
import { type Notes, noteOf } from './fact-draft.ts';
import { namedBy } from './fact-names.ts';
import { PeerSpeaker } from './received-facts.ts';

type Covering = TripleKey & Pick<PreparedFact, 'id' | 'assertedBy'> & { readonly hlc: Hlc };

/**
 * Returns the cover by which a stored fact ends earlier facts of its triple and place, from a feed stamp on. With a
 * `speaker`, the cover ends only facts of that speaker; with null, the facts of all speakers.
 */
export const coverBy = (
  fact: Covering,
  { kind, since, speaker }: Pick<Cover, 'kind' | 'since' | 'speaker'>,
): Cover => ({
  kind,
  factId: fact.id,
  assertedBy: fact.assertedBy,
  named: null,
  tenantId: fact.tenantId,
  entityKey: fact.entityKey,
  relationKey: fact.relationKey,
  scope: fact.scope,
  gardenId: fact.gardenId,
  hlc: fact.hlc,
  speaker,
  since,
});

/** Returns the covers by which a stored fact ends the facts that it names, or else all of its triple and place. */
export const coversBy = (
  fact: Covering & Pick<PreparedFact, 'replaces' | 'originNodeId'>,
  given: Pick<Cover, 'kind' | 'since' | 'speaker'>,
  nodeId: string,
): Cover[] => {
  const cover = coverBy(fact, given);
  return fact.replaces.length === 0 ? [cover] : namedBy(fact, nodeId).map((named) => ({ ...cover, named }));
};

/**
 * Returns the kind of covers that a fact has by itself; undefined if it ends nothing. Other facts decide whether it is
 * a resolution.
 */
export const ownCoverKind = ({
  confidence,
  replaces,
}: Pick<PreparedFact, 'confidence' | 'replaces'>): Cover['kind'] | undefined => {
  if (confidence === 0) return 'retraction';
  return replaces.length === 0 ? undefined : 'replacement';
};

/**
 * Returns the only speaker whose facts a new fact may end; null for the facts of all speakers. Only a fact of a peer
 * without the grant to end facts of others has such a limit.
 */
export const reachOf = ({
  fact,
  notes,
}: {
  readonly fact: Pick<StoredFact, 'speaker'>;
  readonly notes: Notes | undefined;
}): string | null => (noteOf(notes, PeerSpeaker)?.mayEndOthers === false ? fact.speaker : null);
