import type { Knex } from 'knex';
import {
  type FactReader,
  type FactView,
  formatInstant,
  type NodeSelf,
  type PluginTables,
  readVisiblePage,
  refuseGarden,
  type SpelledList,
  type SqlValue,
  spellList,
} from '../../kernel/plugin-api.ts';
import { findGarden } from './garden-access.ts';
import type { Garden } from './garden-row.ts';
import { listGardens, roleOf } from './garden-store.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { type Quarantined, type QuarantineStatus, quarantinedFromRow } from './quarantine-row.ts';

export interface QuarantineSearch {
  /** Slug, UUID or URI; without one all that the caller moderates. */
  readonly garden: string | undefined;
  readonly status: QuarantineStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface Parts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
}

/**
 * Facts in the quarantine gardens that the caller moderates, newest timestamp first, and how many there are (wire
 * contract 10). A page that ends before its limit for its size says so.
 */
export const listQuarantined = async (
  search: QuarantineSearch,
  reader: FactReader,
  parts: Parts,
): Promise<{ items: SpelledList; total: number; truncated?: true }> => {
  const gardens = await moderatedGardens(search.garden, reader, parts);
  const within = (): Knex.QueryBuilder => {
    const query = parts.tables
      .in(reader.snapshot)(QUARANTINED)
      .where('tenant_id', reader.caller.tenantId)
      .whereIn('garden_id', [...gardens.keys()]);
    return search.status === undefined ? query : query.where('status', search.status);
  };
  if (gardens.size === 0) return { items: spellList([], () => null), total: 0 };
  const [counted] = (await within().count({ n: '*' })) as { n: number | string }[];
  const rows = (await within()
    .orderBy([
      { column: 'timestamp_ms', order: 'desc' },
      { column: 'fact_id', order: 'desc' },
    ])
    .limit(search.limit)
    .offset(search.offset)) as Record<string, SqlValue>[];
  const entries = rows.map(quarantinedFromRow);
  const page = await readVisiblePage(
    reader,
    entries.map(({ factId }) => factId),
    'newest',
  );
  const facts = await reader.annotate(page.facts);
  const byId = new Map(facts.map((view) => [view.fact.id, view]));
  const held = entries.flatMap((entry): Held[] => {
    const view = byId.get(entry.factId);
    const garden = gardens.get(entry.gardenId);
    return view === undefined || garden === undefined ? [] : [{ entry, view, garden }];
  });
  const items = spellList(held, (one) => itemJson(one, parts.self));
  const truncated = items.isCut || page.beyond.size > 0;
  return { items, total: Number(counted?.n ?? 0), ...(truncated && { truncated }) };
};

/** By id. Gardens of a scope that the key may not read hold nothing that it could be shown. */
const moderatedGardens = async (
  name: string | undefined,
  { caller, snapshot }: FactReader,
  { tables, self }: Parts,
): Promise<Map<string, Garden>> => {
  const own = tables.in(snapshot);
  let gardens: Garden[];
  if (name === undefined) {
    const isAdmin = caller.permissions.has('admin');
    gardens = await listGardens(own, caller.tenantId, isAdmin ? undefined : caller.entityUri);
  } else {
    const garden = await findGarden(own, name, caller, self);
    const role = await roleOf(own, garden?.id ?? '', caller);
    if (garden === undefined || role === undefined) throw refuseGarden(caller);
    gardens = [garden];
  }
  const moderated = new Map<string, Garden>();
  for (const garden of gardens) {
    if (!garden.quarantine || !caller.allowedScopes.has(garden.scope)) continue;
    const role = await roleOf(own, garden.id, caller);
    if (role === 'admin' || role === 'quarantine:moderator') moderated.set(garden.id, garden);
  }
  return moderated;
};

interface Held {
  readonly entry: Quarantined;
  readonly view: FactView;
  readonly garden: Garden;
}

const itemJson = (
  { entry, view: { fact, sourceTrust }, garden }: Held,
  { names, authority }: NodeSelf,
): Record<string, unknown> => ({
  fact_id: entry.factId,
  entity: fact.entity,
  relation: fact.relation,
  source: fact.source,
  quarantine_status: entry.status,
  quarantine_garden_id: names.gardenUri(authority, garden.slug),
  quarantine_reason: entry.reason,
  quarantine_acted_by: entry.actedBy,
  quarantine_acted_at: entry.actedMs === null ? null : formatInstant(entry.actedMs),
  source_trust: sourceTrust ?? null,
  received_from: fact.receivedFrom,
  timestamp: fact.timestamp,
});
