import type { Cover, Hlc, StoredFact, TripleKey } from '../../ports/ports.ts';
import { type Notes, noteOf } from './fact-draft.ts';
import { PeerSpeaker } from './received-facts.ts';

/**
 * Returns the cover by which a stored fact ends earlier facts of its triple and place, from a feed stamp on. `speaker`
 * is the one whose facts alone it ends; null for the facts of all.
 */
export const coverBy = (
  fact: TripleKey & { readonly id: string; readonly hlc: Hlc },
  { kind, since, speaker }: Pick<Cover, 'kind' | 'since' | 'speaker'>,
): Cover => ({
  kind,
  factId: fact.id,
  tenantId: fact.tenantId,
  entityKey: fact.entityKey,
  relationKey: fact.relationKey,
  scope: fact.scope,
  gardenId: fact.gardenId,
  hlc: fact.hlc,
  speaker,
  since,
});

/**
 * Returns the speaker whose facts alone a new fact may end: that of a peer without the grant to end facts of others.
 * Null for every other fact, which ends the facts of all.
 */
export const reachOf = ({
  fact,
  notes,
}: {
  readonly fact: Pick<StoredFact, 'speaker'>;
  readonly notes: Notes | undefined;
}): string | null => (noteOf(notes, PeerSpeaker)?.mayEndOthers === false ? fact.speaker : null);
