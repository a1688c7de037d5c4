import type { PluginTables } from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import { type EdgeStore, saysTheSame } from './edge-store.ts';

const HINT =
  '"fact-memory-node reindex --only edges" makes the edges again; if it is no node that did this, look at the disk';

/** Checks that each reference to an entity has its edge, and that the edge agrees with its fact. */
export const createEdgeCheck = (
  tables: PluginTables,
  edges: EdgeStore,
  gathering: { readonly complete: boolean; advance(limitMs: number): Promise<boolean> },
): StoreCheck => ({
  name: 'edges',
  summary: 'each fact that refers to an entity has its edge in the graph',
  async begin(report) {
    // Facts stored while the plugin was off get their edges first, so that these do not count as missing.
    while (!gathering.complete) await gathering.advance(GATHERED_AT_ONCE_MS);
    return {
      async page({ tenantId, facts, snapshot }) {
        // An erased reference has no value, and so no edge.
        const refs = facts.filter(
          ({ system, confidence, value }) => !system && confidence > 0 && value.type === 'ref' && value.v !== null,
        );
        for (const { fact_id: id } of await edges.wrongAmong(tenantId, refs, tables.in(snapshot), saysTheSame)) {
          const message = `the fact ${id} has no edge in the graph, or a wrong one`;
          report.find({ tenantId, message, hint: HINT });
        }
      },
    };
  },
});

const GATHERED_AT_ONCE_MS = 5_000;
