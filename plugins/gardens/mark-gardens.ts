import {
  type FactView,
  type NodeSelf,
  type PluginTables,
  type ReadContext,
  withMark,
} from '../../kernel/plugin-api.ts';
import { gardensById } from './garden-store.ts';
import { GARDEN_URI, QUARANTINE } from './gardens-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { quarantinedFromRow } from './quarantine-row.ts';

interface MarkingParts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
}

/**
 * Adds marks to facts in gardens: the garden's URI and the quarantine state. Reads nothing for a page without such
 * facts.
 */
export const markGardens = (
  views: readonly FactView[],
  { caller, snapshot }: ReadContext,
  { tables, self }: MarkingParts,
): Promise<readonly FactView[]> | undefined => {
  const inGardens = views.filter(({ fact }) => fact.gardenId !== null);
  if (inGardens.length === 0) return undefined;
  return mark(views, inGardens, caller.tenantId, tables.in(snapshot), self);
};

const mark = async (
  views: readonly FactView[],
  inGardens: readonly FactView[],
  tenantId: string,
  own: ReturnType<PluginTables['in']>,
  self: NodeSelf,
): Promise<readonly FactView[]> => {
  const gardenIds = [...new Set(inGardens.map(({ fact }) => fact.gardenId ?? ''))];
  const gardens = await gardensById(own, tenantId, gardenIds);
  const held = inGardens.filter(({ fact }) => gardens.get(fact.gardenId ?? '')?.quarantine === true);
  const ids = held.map(({ fact }) => fact.id);
  const rows = ids.length === 0 ? [] : await own.select(QUARANTINED, { tenant_id: tenantId, fact_id: ids });
  const statuses = new Map(rows.map(quarantinedFromRow).map((entry) => [entry.factId, entry.status]));
  return views.map((view) => {
    const garden = gardens.get(view.fact.gardenId ?? '');
    if (garden === undefined) return view;
    // Another garden may have taken the slug of a deleted one.
    const uri = garden.deletedMs === null ? self.names.gardenUri(self.authority, garden.slug) : undefined;
    const named = uri === undefined ? view : withMark(view, GARDEN_URI, uri);
    const status = statuses.get(view.fact.id);
    return status === undefined ? named : withMark(named, QUARANTINE, { status, garden: uri ?? garden.id });
  });
};
