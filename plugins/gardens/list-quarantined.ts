import { type ColumnCondition, readVisiblePage, refuseGarden, SAME_FACT } from '../../kernel/internal-api.ts';
import {
  all,
  type FactReader,
  type Filter,
  inTable,
  isIn,
  type NodeSelf,
  type PluginTables,
} from '../../kernel/plugin-api.ts';
import type { Garden } from './garden-row.ts';
import { listGardens, roleOf } from './garden-store.ts';
import type { HeldFact, HeldFacts, QuarantineSearch } from './gardens-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { type QuarantineRecord, type QuarantineStatus, quarantinedFromRow } from './quarantine-row.ts';
import { findGarden } from './stored-garden-access.ts';

interface Parts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
}

/**
 * Returns facts in the quarantine gardens that the caller moderates. Starts from the facts, because the rows of the
 * quarantine also name facts that a tombstone hides.
 */
export const listQuarantined = async (
  search: QuarantineSearch,
  reader: FactReader,
  parts: Parts,
): Promise<HeldFacts> => {
  const gardens = await moderatedGardens(search.garden, reader, parts);
  if (gardens.size === 0) return { held: [], total: 0, truncated: false };
  const { snapshot } = reader;
  const { status, offset, limit } = search;
  const within = all(await reader.constraint('visible'), heldIn([...gardens.keys()], status));
  const total = await snapshot.count(within);
  const ids = offset >= total ? [] : await snapshot.outline(within, offset + limit, 'timestamp');
  const shown = ids.slice(offset).map(({ id }) => id);
  const page = await readVisiblePage(reader, shown, 'newest');
  const facts = await reader.annotate(page.facts);
  const byId = new Map(facts.map((view) => [view.fact.id, view]));
  const entries = await entriesOf(shown, reader, parts);
  const held = shown.flatMap((id): HeldFact[] => {
    const [entry, view] = [entries.get(id), byId.get(id)];
    const garden = gardens.get(entry?.gardenId ?? '');
    return entry === undefined || view === undefined || garden === undefined ? [] : [{ entry, view, garden }];
  });
  return { held, total, truncated: page.beyond.size > 0 };
};

/** Matches the facts in the quarantine of these gardens; with a status, only those with this judgement. */
export const heldIn = (gardenIds: readonly string[], status?: QuarantineStatus): Filter => {
  const judged: readonly ColumnCondition[] = status === undefined ? [] : [{ column: 'status', in: [status] }];
  return all(isIn('gardenId', gardenIds), inTable(QUARANTINED, SAME_FACT, judged));
};

const entriesOf = async (
  factIds: readonly string[],
  { caller, snapshot }: FactReader,
  { tables }: Parts,
): Promise<ReadonlyMap<string, QuarantineRecord>> => {
  if (factIds.length === 0) return new Map();
  const rows = await tables.in(snapshot).select(QUARANTINED, { tenant_id: caller.tenantId, fact_id: factIds });
  return new Map(rows.map(quarantinedFromRow).map((entry) => [entry.factId, entry]));
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
