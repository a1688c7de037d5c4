import type { FactView, PluginSnapshot, PluginTables } from '../../kernel/plugin-api.ts';
import type { FactSignals } from '../recall/recall-api.ts';
import { gardensById } from './garden-store.ts';

/** The weight of facts in a quarantine garden, which no moderator has promoted yet. */
const QUARANTINE_TIER = 0.2;

/**
 * Returns the weight of a garden's facts in recall: the operator's setting by slug, otherwise 0.2 in quarantine and 1
 * elsewhere.
 */
export const tierSignals = async (
  {
    caller,
    reader,
    facts,
  }: {
    readonly caller: { readonly tenantId: string };
    readonly reader: { readonly snapshot: PluginSnapshot };
    readonly facts: readonly FactView[];
  },
  tiers: Readonly<Record<string, number>>,
  tables: PluginTables,
): Promise<ReadonlyMap<string, Partial<FactSignals>> | undefined> => {
  const inGardens = facts.filter(({ fact }) => fact.gardenId !== null);
  if (inGardens.length === 0) return undefined;
  const gardenIds = [...new Set(inGardens.map(({ fact }) => fact.gardenId ?? ''))];
  const gardens = await gardensById(tables.in(reader.snapshot), caller.tenantId, gardenIds);
  const signals = new Map<string, Partial<FactSignals>>();
  for (const { fact } of inGardens) {
    const garden = gardens.get(fact.gardenId ?? '');
    if (garden === undefined) continue;
    const configured = Object.hasOwn(tiers, garden.slug) ? tiers[garden.slug] : undefined;
    const gardenTier = configured ?? (garden.quarantine ? QUARANTINE_TIER : 1);
    if (gardenTier !== 1) signals.set(fact.id, { gardenTier });
  }
  return signals;
};
