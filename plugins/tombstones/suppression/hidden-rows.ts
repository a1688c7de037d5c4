import type { SuppressibleFact } from '../../../kernel/internal-api.ts';
import { type ReadableTables, SCOPES, type Scope, type WritableTables } from '../../../kernel/plugin-api.ts';
import { HIDDEN } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';

/** The tombstone that hides facts, who still sees them, and the node whose facts it hides. */
export interface HiddenBy {
  readonly tombstoneId: string;
  readonly isHeld: boolean;
  /** The node whose facts alone are hidden; an empty text to hide the facts of all nodes. */
  readonly originNodeId: string;
}

interface HiddenRow extends HiddenBy {
  readonly entityKey: string;
  readonly scope: Scope;
}

/** Hides the facts of entities in the scope of a tombstone. */
export const hideEntities = (
  own: WritableTables,
  tombstone: Pick<Tombstone, 'tenantId' | 'id' | 'scope' | 'legalHold'>,
  { entityKeys, originNodeId }: { readonly entityKeys: readonly string[]; readonly originNodeId: string },
): Promise<void> => {
  const scopes = tombstone.scope === '*' ? SCOPES : [tombstone.scope];
  const by = { tombstoneId: tombstone.id, isHeld: tombstone.legalHold, originNodeId };
  const rows = entityKeys.flatMap((entityKey) => scopes.map((scope) => ({ entityKey, scope, ...by })));
  return insertHidden(own, tombstone.tenantId, rows);
};

/**
 * Hides the system facts about hidden facts, in every scope, because a system fact may have another scope than its
 * fact.
 */
export const hideSystemFacts = (
  own: WritableTables,
  tenantId: string,
  entities: readonly (HiddenBy & { readonly entityKey: string })[],
): Promise<void> =>
  insertHidden(
    own,
    tenantId,
    // Hides them for all origins, because this node itself writes the system facts about facts of another node.
    entities.flatMap((entity) => SCOPES.map((scope) => ({ ...entity, scope, originNodeId: '' }))),
  );

const insertHidden = async (own: WritableTables, tenantId: string, rows: readonly HiddenRow[]): Promise<void> => {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await own(HIDDEN)
      .insert(
        rows.slice(at, at + ROWS_PER_STATEMENT).map((row) => ({
          tenant_id: tenantId,
          entity_key: row.entityKey,
          scope: row.scope,
          tombstone_id: row.tombstoneId,
          held: row.isHeld ? 1 : 0,
          origin_node_id: row.originNodeId,
        })),
      )
      .onConflict(['tenant_id', 'entity_key', 'scope', 'tombstone_id'])
      .ignore();
  }
};

const ROWS_PER_STATEMENT = 100;

/** Returns the tombstones that hide each of these facts, with one statement. Leaves out visible facts. */
export const hiddenAmong = async <T extends SuppressibleFact>(
  own: ReadableTables,
  facts: readonly T[],
): Promise<ReadonlyMap<T, readonly HiddenBy[]>> => {
  if (facts.length === 0) return new Map();
  const rows = await own.select(HIDDEN, {
    tenant_id: [...new Set(facts.map(({ tenantId }) => tenantId))],
    entity_key: [...new Set(facts.map(({ entityKey }) => entityKey))],
  });
  if (rows.length === 0) return new Map();
  const byPlace = new Map<string, HiddenBy[]>();
  for (const row of rows) {
    const place = placeOf(String(row['tenant_id']), String(row['entity_key']), String(row['scope']));
    const by = {
      tombstoneId: String(row['tombstone_id']),
      isHeld: Number(row['held']) === 1,
      originNodeId: String(row['origin_node_id']),
    };
    byPlace.set(place, [...(byPlace.get(place) ?? []), by]);
  }
  return new Map(
    facts.flatMap((fact) => {
      const known = byPlace.get(placeOf(fact.tenantId, fact.entityKey, fact.scope)) ?? [];
      const hides = known.filter(({ originNodeId }) => originNodeId === '' || originNodeId === fact.originNodeId);
      return hides.length === 0 ? [] : [[fact, hides] as const];
    }),
  );
};

const placeOf = (tenantId: string, entityKey: string, scope: string): string => `${tenantId}\0${scope}\0${entityKey}`;
