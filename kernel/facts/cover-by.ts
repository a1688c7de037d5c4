import type { Cover, Hlc, TripleKey } from '../../ports/ports.ts';

/** Returns the cover by which a stored fact ends earlier facts of its triple and place, from a feed stamp on. */
export const coverBy = (
  fact: TripleKey & { readonly id: string; readonly hlc: Hlc },
  kind: Cover['kind'],
  since: Hlc,
): Cover => ({
  kind,
  factId: fact.id,
  tenantId: fact.tenantId,
  entityKey: fact.entityKey,
  relationKey: fact.relationKey,
  scope: fact.scope,
  gardenId: fact.gardenId,
  hlc: fact.hlc,
  since,
});
