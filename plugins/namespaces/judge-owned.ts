import {
  type AppendItem,
  type AuthoriseBatch,
  all,
  equals,
  isIn,
  matchKey,
  type NodeSelf,
  noteOf,
  PeerSpeaker,
  type RefusableItem,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { RequesterNote, ttlTarget } from '../facts/facts-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { namespaceKeyOf } from './namespace-pattern.ts';
import { NAMESPACE_OWNED } from './namespaces-api.ts';
import type { RuleSet } from './rule-set.ts';
import type { RuleStore } from './rule-store.ts';

export interface JudgingParts {
  readonly store: Pick<RuleStore, 'rulesOf'>;
  readonly self: Pick<NodeSelf, 'names' | 'nodeId'>;
}

/**
 * Refuses facts about entities of other owners, including retractions and resolutions, which are facts about the entity
 * as well. A time-to-live is checked by the entity of the fact that it ends. Costs one statement for all facts of a
 * transaction while the rules stay the same, and one more for times-to-live.
 */
export const createJudgeOwned =
  (parts: JudgingParts) =>
  (batch: AuthoriseBatch): Promise<void> | undefined => {
    const items = batch.items.filter((item) => item.open && speaksForItself(item));
    return items.length === 0 ? undefined : judgeAll(items, batch, parts);
  };

/** Returns true for facts that need a check. System facts that follow from other facts were checked with those. */
const speaksForItself = ({ byClient, origin, notes }: AppendItem): boolean =>
  byClient || origin === 'peer' || noteOf(notes, RequesterNote) !== undefined;

const judgeAll = async (
  items: readonly RefusableItem[],
  { snapshot }: AuthoriseBatch,
  { store, self }: JudgingParts,
): Promise<void> => {
  for (const tenantId of new Set(items.map(({ fact }) => fact.tenantId))) {
    const rules = await store.rulesOf(tenantId, snapshot);
    if (rules.isEmpty) continue;
    const own = items.filter(({ fact }) => fact.tenantId === tenantId);
    for (const item of own) {
      const isRefused = !mayWrite(item, namespaceKeyOf(item.fact, self.names), rules, self);
      if (isRefused) item.reject(refusalOf(item), 'permission');
    }
    await judgeTargets(own, tenantId, rules, { snapshot, self });
  }
};

/**
 * Checks times-to-live by their target facts. Runs after all other checks, so that a caller learns nothing of a hidden
 * fact.
 */
const judgeTargets = async (
  items: readonly RefusableItem[],
  tenantId: string,
  rules: RuleSet,
  { snapshot, self }: Pick<AuthoriseBatch, 'snapshot'> & Pick<JudgingParts, 'self'>,
): Promise<void> => {
  const { names } = self;
  const relation = names.meta('ttl');
  const ttls = items.filter(({ fact }) => fact.relationKey === relation);
  if (ttls.length === 0) return;
  const targetOf = ({ fact }: AppendItem): string => ttlTarget(fact.entity, names);
  const ids = [...new Set(ttls.map(targetOf))];
  const found = await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const keys = new Map(found.map((fact) => [fact.id, namespaceKeyOf(fact, names)]));
  for (const item of ttls) {
    const key = keys.get(targetOf(item));
    if (key !== undefined && !mayWrite(item, key, rules, self)) item.reject(refusalOf(item), 'other');
  }
};

const mayWrite = (item: AppendItem, key: string, rules: RuleSet, self: JudgingParts['self']): boolean => {
  const owners = rules.ownersOf(key);
  if (owners === undefined) return true;
  if (item.origin !== 'peer') {
    const writer = noteOf(item.notes, RequesterNote) ?? item.caller.entityUri;
    return owners.has(principalKey(writer, self.names));
  }
  const speaker = noteOf(item.notes, PeerSpeaker);
  if (speaker === undefined) return false;
  const speakerKey = matchKey(speaker.nodeId, self.names);
  // A fact of this node may return, for example after a restore. It was checked when it was first asserted.
  return owners.has(speakerKey) || speakerKey === matchKey(self.nodeId, self.names);
};

const refusalOf = ({ path }: AppendItem): ServiceError =>
  new ServiceError(NAMESPACE_OWNED, 'only the owners of this namespace write about its entities', {
    hint: 'ask an administrator to make the entity of your key an owner of the namespace',
    violations: [{ path: `${path}.entity`, message: 'is in a namespace that others own' }],
  });
