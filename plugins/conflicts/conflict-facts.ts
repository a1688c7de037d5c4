import { type FactDraft, noted, type ServiceNames, type StoredFact } from '../../kernel/plugin-api.ts';
import { AlsoInGarden } from '../gardens/gardens-api.ts';
import type { ConflictRecord } from './conflict-record.ts';

/**
 * The facts by which a conflict describes itself (wire contract 5 and 18.1). They are system facts and never federate, and are seen by who may know
 * of the conflict: in its garden, and where it is between two, by who reads the other as well.
 */

type Told = Pick<ConflictRecord, 'id' | 'gardens'>;
type Place = Pick<StoredFact, 'id' | 'scope'>;

const about = (
  { gardens }: Told,
  entity: string,
  relation: string,
  value: FactDraft['value'],
  { scope }: Place,
  names: ServiceNames,
): FactDraft => {
  const [gardenId = null, other] = gardens;
  const draft = { entity, relation, value, source: names.systemSource, confidence: 1, scope, gardenId };
  return other === undefined ? draft : { ...draft, notes: noted(AlsoInGarden, other) };
};

const text = (type: 'string' | 'text' | 'ref', v: string): FactDraft['value'] => ({ type, v, interpretAs: 'content' });

export function openedFacts(
  record: Told,
  fact: Place,
  rival: Pick<StoredFact, 'id'>,
  names: ServiceNames,
): FactDraft[] {
  const unresolved = text('string', 'unresolved');
  return [
    joinedFacts(record, fact, rival, names),
    about(record, names.conflictId(record.id), names.meta('conflict:status'), unresolved, fact, names),
  ];
}

export function joinedFacts(record: Told, fact: Place, rival: Pick<StoredFact, 'id'>, names: ServiceNames): FactDraft {
  const between = text('text', `${fact.id} ${rival.id}`);
  return about(record, names.conflictId(record.id), names.meta('conflict:between'), between, fact, names);
}

export function resolvedFacts(record: Told, resolution: Place, note: string, names: ServiceNames): FactDraft[] {
  const conflict = names.conflictId(record.id);
  const drafts = [
    about(record, conflict, names.meta('conflict:status'), text('string', 'resolved'), resolution, names),
    about(record, resolution.id, names.meta('resolves'), text('ref', conflict), resolution, names),
  ];
  if (note !== '') {
    drafts.push(about(record, conflict, names.meta('conflict:note'), text('text', note), resolution, names));
  }
  return drafts;
}
