import type { Cover, StoredFact } from '../../ports/ports.ts';

/** The cover that a stored fact lays over its triple, in its own place. */
export const coverBy = (fact: StoredFact, kind: Cover['kind']): Cover => ({
  kind,
  factId: fact.id,
  tenantId: fact.tenantId,
  entityKey: fact.entityKey,
  relationKey: fact.relationKey,
  scope: fact.scope,
  gardenId: fact.gardenId,
  hlc: fact.hlc,
});
