import {
  type Clock,
  type Facts,
  isIn,
  type NodeSelf,
  nodePrincipal,
  type PluginTables,
  SCOPES,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import type { SearchAnswer, SearchIndex } from './search-api.ts';

export interface IndexCheckParts {
  readonly tables: PluginTables;
  readonly index: Pick<SearchIndex, 'ready' | 'ask'>;
  readonly facts: Facts;
  readonly clock: Clock;
  readonly self: NodeSelf;
}

const PAGE = 250;
/** The maximum number of facts of one entity that the check requests from the index. */
const MAX_OF_ENTITY = 2_000;

/** Checks that the index finds every live fact outside gardens by its entity. */
export const createIndexCheck = (parts: IndexCheckParts): StoreCheck => ({
  name: 'index',
  summary: 'every live fact outside gardens can be found by the search index',
  async run({ tenants, advance, find }) {
    while ((await parts.index.ready()) !== null);
    for (const { tenantId, number: end } of tenants) {
      for (let above = 0; above < end; ) {
        const { missing, last } = await checkPage(parts, tenantId, above);
        for (const id of missing) {
          find({ tenantId, message: `the search index does not find the fact ${id}`, hint: REBUILD });
        }
        advance((last ?? end) - above);
        above = last ?? end;
      }
    }
  },
});

const REBUILD = 'start the node anew: each start brings the index in line with the store';

const checkPage = async (
  { tables, index, facts, clock, self }: IndexCheckParts,
  tenantId: string,
  above: number,
): Promise<{ readonly missing: readonly string[]; readonly last: number | undefined }> => {
  const entries = await tables.read((_own, snapshot) =>
    snapshot.ledger({ tenantId, above, order: 'oldest', limit: PAGE, members: ['number', 'factId'] }),
  );
  const ids = entries.map(({ factId }) => factId);
  const live = await facts.read(nodePrincipal(self.names, tenantId), 'recall', (reader) =>
    reader.find(isIn('id', ids), { view: 'live', order: 'feed', limit: PAGE }),
  );
  const missing: string[] = [];
  for (const [entityKey, own] of byEntity(live)) {
    const view = { tenantId, scopes: SCOPES, gardens: [], nowMs: clock.nowMs(), minConfidence: 0, entityKey };
    const [{ hits } = NOTHING_FOUND] = await index.ask([{ find: 'newest', limit: MAX_OF_ENTITY }], view);
    const found = new Set(hits.map(({ id }) => id));
    if (hits.length < MAX_OF_ENTITY) missing.push(...own.filter(({ id }) => !found.has(id)).map(({ id }) => id));
  }
  return { missing, last: entries.at(-1)?.number };
};

const NOTHING_FOUND: SearchAnswer = { hits: [] };

const byEntity = (facts: readonly StoredFact[]): ReadonlyMap<string, readonly StoredFact[]> => {
  const groups = new Map<string, StoredFact[]>();
  for (const fact of facts) {
    if (fact.gardenId === null) groups.set(fact.entityKey, [...(groups.get(fact.entityKey) ?? []), fact]);
  }
  return groups;
};
