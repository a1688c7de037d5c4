import type { FactDraft, ServiceNames, StoredFact } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import type { ConflictRecord } from './conflict-record.ts';

// The system facts that describe a conflict. They never leave the node, and belong to the garden of the conflict. An id
// is never their whole entity, because a peer chooses the ids of its facts.

type AboutRecord = Pick<ConflictRecord, 'id' | 'gardenId'>;
type AboutFact = Pick<StoredFact, 'id' | 'scope'>;

const about = (
  { gardenId }: AboutRecord,
  entity: string,
  relation: string,
  value: FactDraft['value'],
  { scope }: Pick<AboutFact, 'scope'>,
  names: ServiceNames,
): FactDraft => ({ entity, relation, value, source: names.systemSource, confidence: 1, scope, gardenId });

const text = (type: 'string' | 'text' | 'ref', v: string): FactDraft['value'] => ({ type, v, interpretAs: 'content' });

export const openedFacts = (
  record: AboutRecord,
  fact: AboutFact,
  rival: Pick<StoredFact, 'id'>,
  names: ServiceNames,
): FactDraft[] => {
  return [joinedFacts(record, fact, rival, names), statusFact(record, 'unresolved', fact, names)];
};

export const statusFact = (
  record: AboutRecord,
  status: 'unresolved' | 'resolved',
  { scope }: Pick<AboutFact, 'scope'>,
  names: ServiceNames,
): FactDraft => {
  const value = text('string', status);
  return about(record, conflictEntity(record.id, names), names.meta('conflict:status'), value, { scope }, names);
};

export const joinedFacts = (
  record: AboutRecord,
  fact: AboutFact,
  rival: Pick<StoredFact, 'id'>,
  names: ServiceNames,
): FactDraft => {
  const between = text('text', `${fact.id} ${rival.id}`);
  return about(record, conflictEntity(record.id, names), names.meta('conflict:between'), between, fact, names);
};

export const resolvedFacts = (
  record: AboutRecord,
  resolution: AboutFact,
  note: string,
  names: ServiceNames,
): FactDraft[] => {
  const conflict = conflictEntity(record.id, names);
  const drafts = [
    statusFact(record, 'resolved', resolution, names),
    about(record, names.factEntity(resolution.id), names.meta('resolves'), text('ref', conflict), resolution, names),
  ];
  if (note !== '') {
    drafts.push(about(record, conflict, names.meta('conflict:note'), text('text', note), resolution, names));
  }
  return drafts;
};
