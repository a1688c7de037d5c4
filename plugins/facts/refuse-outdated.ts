import { isNamed, type NamedFact, namedBy, openAmong, tripleId } from '../../kernel/internal-api.ts';
import {
  type AppendBatch,
  all,
  equals,
  type FactOutline,
  type Facts,
  isIn,
  type NodeSelf,
  noteOf,
  type RefusableItem,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { REPLACES } from './assertion-members.ts';

export interface OutdatedParts {
  readonly facts: Facts;
  readonly self: Pick<NodeSelf, 'nodeId'>;
}

/** The facts of one triple and place that earlier items of the transaction end. */
interface Ended {
  isWhole: boolean;
  readonly named: NamedFact[];
}

/**
 * Refuses a client's fact that names a fact in `replaces` which is no longer live, lies elsewhere, or is hidden from
 * the caller. Checks items in order, so that of two facts that replace the same one only the first is stored.
 */
export const createRefuseOutdated =
  (parts: OutdatedParts) =>
  (batch: AppendBatch): Promise<void> | undefined =>
    batch.items.some(isReplacing) ? refuseOutdated(batch, parts) : undefined;

const isReplacing = (item: RefusableItem): boolean => item.open && noteOf(item.notes, REPLACES.note) !== undefined;

const refuseOutdated = async (batch: AppendBatch, parts: OutdatedParts): Promise<void> => {
  const { nodeId } = parts.self;
  const places = new Map<string, Ended>();
  for (const item of batch.items) {
    if (!item.open) continue;
    const ended = places.get(item.tripleId) ?? { isWhole: false, named: [] };
    places.set(item.tripleId, ended);
    const named = namedBy(item.fact, nodeId);
    const isStillLive = (fact: FactOutline): boolean =>
      !ended.isWhole && !ended.named.some((earlier) => isNamed(earlier, fact));
    if (isReplacing(item)) {
      const live = (await namedFacts(item, named, batch, parts)).filter(isStillLive);
      if (!named.every((one) => live.some((fact) => isNamed(one, fact)))) {
        item.reject(outdated((await liveFacts(item, batch, parts)).filter(isStillLive)));
        continue;
      }
    }
    if (named.length > 0) ended.named.push(...named);
    else if (item.fact.confidence === 0) ended.isWhole = true;
  }
};

/** Returns the named facts of the item's triple and place that the caller sees, and that nothing stored has ended. */
const namedFacts = (
  { fact, tripleId: id, caller }: RefusableItem,
  named: readonly NamedFact[],
  { transaction, nowMs }: AppendBatch,
  { facts }: OutdatedParts,
): Promise<readonly FactOutline[]> =>
  facts.readIn(transaction, caller, 'get', async (reader) => {
    const ids = named.map((one) => one.id);
    const visible = await reader.constraint('visible');
    const found = await Promise.all(
      // Two statements, because each has an index of its own. The second one finds nothing on nearly every node.
      [isIn('id', ids), isIn('originId', ids)].map((byId) =>
        transaction.outline(openAmong(all(equals('tenantId', fact.tenantId), byId, visible), { nowMs })),
      ),
    );
    return found.flat().filter((one) => tripleId(one) === id);
  });

/** Returns the strongest live facts of the item's triple and place that the caller sees. */
const liveFacts = (
  item: RefusableItem,
  batch: AppendBatch,
  { facts }: OutdatedParts,
): Promise<readonly FactOutline[]> =>
  facts.readIn(batch.transaction, item.caller, 'get', async (reader) => {
    const live = batch.siblings(item);
    if (live.length === 0) return [];
    const visible = all(
      await reader.constraint('visible'),
      isIn(
        'id',
        live.map(({ id }) => id),
      ),
    );
    const shown = new Set((await batch.transaction.outline(visible)).map(({ id }) => id));
    return live.filter(({ id }) => shown.has(id));
  });

const outdated = (live: readonly FactOutline[]): ServiceError =>
  new ServiceError(
    'conflict',
    'replaces names a fact that is no live fact of this entity, relation, scope and garden',
    {
      hint: 'read the live facts, and decide again which of them the new one replaces',
      members: { live_fact_ids: live.map(({ id }) => id) },
    },
  );
