import type { FactDraft, ServiceNames, StoredFact } from '../../kernel/plugin-api.ts';

/** The facts by which a conflict describes itself (wire contract 5 and 18.1). They are system facts and never federate. */

type Place = Pick<StoredFact, 'id' | 'scope' | 'gardenId'>;

const about = (
  entity: string,
  relation: string,
  value: FactDraft['value'],
  place: Place,
  names: ServiceNames,
): FactDraft => ({
  entity,
  relation,
  value,
  source: names.systemSource,
  confidence: 1,
  scope: place.scope,
  gardenId: place.gardenId,
});

const text = (type: 'string' | 'text' | 'ref', v: string): FactDraft['value'] => ({ type, v, interpretAs: 'content' });

export function openedFacts(
  conflictId: string,
  fact: Place,
  rival: Pick<StoredFact, 'id' | 'gardenId'>,
  names: ServiceNames,
): FactDraft[] {
  const place = { ...fact, gardenId: fact.gardenId ?? rival.gardenId };
  return [
    joinedFacts(conflictId, fact, rival, names),
    about(names.conflictId(conflictId), names.meta('conflict:status'), text('string', 'unresolved'), place, names),
  ];
}

export function joinedFacts(
  conflictId: string,
  fact: Place,
  rival: Pick<StoredFact, 'id' | 'gardenId'>,
  names: ServiceNames,
): FactDraft {
  const place = { ...fact, gardenId: fact.gardenId ?? rival.gardenId };
  const between = text('text', `${fact.id} ${rival.id}`);
  return about(names.conflictId(conflictId), names.meta('conflict:between'), between, place, names);
}

export function resolvedFacts(conflictId: string, resolution: Place, note: string, names: ServiceNames): FactDraft[] {
  const conflict = names.conflictId(conflictId);
  const drafts = [
    about(conflict, names.meta('conflict:status'), text('string', 'resolved'), resolution, names),
    about(resolution.id, names.meta('resolves'), text('ref', conflict), resolution, names),
  ];
  if (note !== '') drafts.push(about(conflict, names.meta('conflict:note'), text('text', note), resolution, names));
  return drafts;
}
