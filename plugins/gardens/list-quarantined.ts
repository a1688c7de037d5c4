import type { Knex } from 'knex';
import { readVisiblePage, refuseGarden } from '../../kernel/internal-api.ts';
import type { FactReader, NodeSelf, PluginTables, SqlValue } from '../../kernel/plugin-api.ts';
import type { Garden } from './garden-row.ts';
import { listGardens, roleOf } from './garden-store.ts';
import type { HeldFact, HeldFacts, QuarantineSearch } from './gardens-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { quarantinedFromRow } from './quarantine-row.ts';
import { findGarden } from './stored-garden-access.ts';

interface Parts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
}

/** Returns facts in the quarantine gardens that the caller moderates. */
export const listQuarantined = async (
  search: QuarantineSearch,
  reader: FactReader,
  parts: Parts,
): Promise<HeldFacts> => {
  const gardens = await moderatedGardens(search.garden, reader, parts);
  const within = (): Knex.QueryBuilder => {
    const query = parts.tables
      .in(reader.snapshot)(QUARANTINED)
      .where('tenant_id', reader.caller.tenantId)
      .whereIn('garden_id', [...gardens.keys()]);
    return search.status === undefined ? query : query.where('status', search.status);
  };
  if (gardens.size === 0) return { held: [], total: 0, truncated: false };
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
  const held = entries.flatMap((entry): HeldFact[] => {
    const view = byId.get(entry.factId);
    const garden = gardens.get(entry.gardenId);
    return view === undefined || garden === undefined ? [] : [{ entry, view, garden }];
  });
  return { held, total: Number(counted?.n ?? 0), truncated: page.beyond.size > 0 };
};

/** Returns the gardens by id. Leaves out gardens whose scope the key may not read. */
const moderatedGardens = async (
  name: string | undefined,
  { caller, snapshot }: FactReader,
  { tables, self }: Parts,
): Promise<Map<string, Garden>> => {
  const own = tables.in(snapshot);
  let gardens: Garden[];
  if (name === undefined) {
    gardens = await listGardens(own, caller, self.names);
  } else {
    const garden = await findGarden(own, name, caller, self);
    const role = await roleOf(own, garden?.id ?? '', caller, self.names);
    if (garden === undefined || role === undefined) throw refuseGarden(caller);
    gardens = [garden];
  }
  const moderated = new Map<string, Garden>();
  for (const garden of gardens) {
    if (!garden.quarantine || !caller.allowedScopes.has(garden.scope)) continue;
    const role = await roleOf(own, garden.id, caller, self.names);
    if (role === 'admin' || role === 'quarantine:moderator') moderated.set(garden.id, garden);
  }
  return moderated;
};
