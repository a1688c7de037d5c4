import { grouped, portions } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type Facts,
  isIn,
  type NodeSelf,
  nodePrincipal,
  SCOPES,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import type { SearchAnswer, SearchIndex } from './search-api.ts';

export interface IndexCheckParts {
  readonly index: Pick<SearchIndex, 'ready' | 'ask'>;
  readonly facts: Facts;
  readonly clock: Clock;
  readonly self: NodeSelf;
}

/** The maximum number of facts of one entity that the check requests from the index. */
const MAX_OF_ENTITY = 2_000;
/** The number of entities per query to the index. */
const ENTITIES = 25;

/** Checks that the index finds every live fact outside gardens by its entity. */
export const createIndexCheck = (parts: IndexCheckParts): StoreCheck => ({
  name: 'index',
  summary: 'every live fact outside gardens can be found by the search index',
  async begin(report) {
    await caughtUp(parts.index);
    return {
      async page({ tenantId, facts }) {
        for (const id of await stillMissingAmong(facts, tenantId, parts)) {
          report.find({ tenantId, message: `the search index does not find the fact ${id}`, hint: REBUILD });
        }
      },
    };
  },
});

const caughtUp = async (index: Pick<SearchIndex, 'ready'>): Promise<void> => {
  while ((await index.ready()) !== null);
};

/**
 * Returns the facts that the index does not find even after it has read all that was stored before. A node that writes
 * beside the check stores facts, and shows facts again, after the index was read.
 */
const stillMissingAmong = async (
  facts: readonly StoredFact[],
  tenantId: string,
  parts: IndexCheckParts,
): Promise<string[]> => {
  const missing = new Set(await missingAmong(facts, tenantId, parts));
  if (missing.size === 0) return [];
  await caughtUp(parts.index);
  return missingAmong(
    facts.filter(({ id }) => missing.has(id)),
    tenantId,
    parts,
  );
};

const REBUILD = 'start the node anew: each start brings the index in line with the store';

/**
 * Reads only the facts that the index does not find. Nearly all of them have ended, and then their absence is correct.
 */
const missingAmong = async (
  given: readonly StoredFact[],
  tenantId: string,
  { index, facts, clock, self }: IndexCheckParts,
): Promise<string[]> => {
  const outsideGardens = given.filter(({ gardenId }) => gardenId === null);
  const unfound: string[] = [];
  for (const some of portions([...grouped(outsideGardens, ({ entityKey }) => entityKey)], ENTITIES)) {
    const plan = some.map(([entityKey]) => ({ find: 'newest', limit: MAX_OF_ENTITY, entityKey }) as const);
    const view = { tenantId, scopes: SCOPES, gardens: [], nowMs: clock.nowMs(), minConfidence: 0 };
    const answers = await index.ask(plan, view);
    for (const [nth, [, own]] of some.entries()) {
      const { hits } = answers[nth] ?? NOTHING_FOUND;
      const found = new Set(hits.map(({ id }) => id));
      if (hits.length < MAX_OF_ENTITY) unfound.push(...own.map(({ id }) => id).filter((id) => !found.has(id)));
    }
  }
  if (unfound.length === 0) return [];
  const live = await facts.read(nodePrincipal(self.names, tenantId), 'recall', (reader) =>
    reader.find(isIn('id', unfound), { view: 'live', order: 'feed', limit: unfound.length }),
  );
  return live.map(({ id }) => id);
};

const NOTHING_FOUND: SearchAnswer = { hits: [] };
