import {
  all,
  equals,
  type FactDraft,
  type Facts,
  nodePrincipal,
  type PluginSnapshot,
  type PluginTables,
  type ReadableTables,
  ServiceError,
  type ServiceNames,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { RevisedConflict } from '../../conflicts/conflicts-api.ts';
import { hiddenSystemAmong } from './hidden-rows.ts';
import { aboutConflicts } from './system-facts.ts';

/** The number of facts about one conflict that are compared with what the node is about to say. */
const MOST_TOLD = 500;

interface TellingParts {
  readonly tables: PluginTables;
  readonly facts: Pick<Facts, 'appendAll'>;
  readonly names: ServiceNames;
}

/** Returns those of these system facts about conflicts that hold no longer, because a hidden fact caused them. */
export const staleFacts = (
  told: readonly StoredFact[],
  revised: readonly RevisedConflict[],
  names: ServiceNames,
): readonly StoredFact[] => {
  const since = new Map(revised.map(({ key, sinceMs }) => [key, sinceMs]));
  const status = names.meta('conflict:status');
  return told.filter(({ entityKey, relationKey, timestampMs }) => {
    if (!since.has(entityKey)) return false;
    const sinceMs = since.get(entityKey);
    return sinceMs === undefined || (relationKey === status && timestampMs < sinceMs);
  });
};

/**
 * Says of these conflicts what the node would have said without the hidden facts. The first facts would tell when a
 * hidden fact arrived. Says nothing twice.
 */
export const tellAgain = async (
  tenantId: string,
  revised: readonly RevisedConflict[],
  parts: TellingParts,
): Promise<void> => {
  for (const conflict of revised) while (!(await tellOf(conflict, tenantId, parts)));
};

/** Returns false if others have told of the conflict meanwhile. */
const tellOf = async (conflict: RevisedConflict, tenantId: string, parts: TellingParts): Promise<boolean> => {
  const { tables, facts, names } = parts;
  const drafts = await tables.read((own, snapshot) => unsaidOf(conflict, tenantId, own, snapshot, names));
  if (drafts.length === 0) return true;
  let isOutdated = false;
  const verdicts = await facts.appendAll(drafts, nodePrincipal(names, tenantId), {
    origin: 'plugin',
    unmarked: true,
    exclusive: true,
    async guard(transaction) {
      const unsaid = await unsaidOf(conflict, tenantId, tables.in(transaction), transaction, names);
      isOutdated = unsaid.length < drafts.length;
      if (isOutdated) throw new ServiceError('conflict', 'others have told of the conflict meanwhile');
    },
  });
  // A refusal by a rule, such as that of a garden which is gone, must not stop the following of the tombstone.
  const failure = verdicts.find((verdict) => verdict.kind === 'rejected' && verdict.error.status >= 500);
  if (failure?.kind === 'rejected' && !isOutdated) throw failure.error;
  return !isOutdated;
};

const unsaidOf = async (
  { key, between, status }: RevisedConflict,
  tenantId: string,
  own: ReadableTables,
  snapshot: PluginSnapshot,
  names: ServiceNames,
): Promise<readonly FactDraft[]> => {
  const about = all(equals('tenantId', tenantId), aboutConflicts(names), equals('entityKey', key));
  const told = await snapshot.find({ filter: about, order: 'feed', limit: MOST_TOLD });
  const hidden = new Set(await hiddenSystemAmong(own, told));
  const shown = told.filter((fact) => !hidden.has(fact));
  const said = new Set(shown.map(({ relationKey, value }) => `${relationKey} ${value.v}`));
  const wanted = said.has(`${names.meta('conflict:status')} resolved`) ? between : [...between, ...status];
  return wanted.filter(({ relation, value }) => !said.has(`${relation} ${value.v}`));
};
