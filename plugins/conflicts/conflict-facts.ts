import type { FactDraft, ServiceNames, StoredFact } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import type { ConflictRecord } from './conflict-record.ts';

/**
 * The facts by which a conflict describes itself. They are system facts, never federate, and lie in the place that the
 * conflict is about.
 */

type Told = Pick<ConflictRecord, 'id' | 'gardenId'>;
type Place = Pick<StoredFact, 'id' | 'scope'>;

const about = (
  { gardenId }: Told,
  entity: string,
  relation: string,
  value: FactDraft['value'],
  { scope }: Place,
  names: ServiceNames,
): FactDraft => ({ entity, relation, value, source: names.systemSource, confidence: 1, scope, gardenId });

const text = (type: 'string' | 'text' | 'ref', v: string): FactDraft['value'] => ({ type, v, interpretAs: 'content' });

export const openedFacts = (
  record: Told,
  fact: Place,
  rival: Pick<StoredFact, 'id'>,
  names: ServiceNames,
): FactDraft[] => {
  const unresolved = text('string', 'unresolved');
  return [
    joinedFacts(record, fact, rival, names),
    about(record, conflictEntity(record.id, names), names.meta('conflict:status'), unresolved, fact, names),
  ];
};

export const joinedFacts = (
  record: Told,
  fact: Place,
  rival: Pick<StoredFact, 'id'>,
  names: ServiceNames,
): FactDraft => {
  const between = text('text', `${fact.id} ${rival.id}`);
  return about(record, conflictEntity(record.id, names), names.meta('conflict:between'), between, fact, names);
};

export const resolvedFacts = (record: Told, resolution: Place, note: string, names: ServiceNames): FactDraft[] => {
  const conflict = conflictEntity(record.id, names);
  const drafts = [
    about(record, conflict, names.meta('conflict:status'), text('string', 'resolved'), resolution, names),
    about(record, resolution.id, names.meta('resolves'), text('ref', conflict), resolution, names),
  ];
  if (note !== '') {
    drafts.push(about(record, conflict, names.meta('conflict:note'), text('text', note), resolution, names));
  }
  return drafts;
};
