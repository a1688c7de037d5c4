import {
  all,
  equals,
  type FactDraft,
  type FactReader,
  type Filter,
  isNull,
  not,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { Card } from './card.ts';
import type { CardMaterial } from './cards-api.ts';
import { aboutSubject, type CardSubject } from './gather-material.ts';

/** The place for the fact of a card, and the newest card fact in it. */
export interface CardPlace {
  readonly gardenId: string | null;
  readonly latest: StoredFact | undefined;
}

/**
 * Returns the place in which to store the card's fact: all its readers must see every fact of the subject that the
 * reader of the card sees, in any state. That is outside gardens if no fact of the subject is in a garden. Otherwise it
 * is the garden, if all facts in gardens are in one. Returns undefined if there is no such place.
 */
export const placeOfCard = async (
  reader: FactReader,
  subject: CardSubject,
  names: ServiceNames,
): Promise<CardPlace | undefined> => {
  const inGardens = all(aboutSubject(subject), equals('system', false), not(isNull('gardenId')));
  const [one] = await newest(reader, inGardens);
  const gardenId = one?.gardenId ?? null;
  if (gardenId !== null) {
    const others = await newest(reader, all(inGardens, not(equals('gardenId', gardenId))));
    if (others.length > 0) return undefined;
  }
  const sameGarden = gardenId === null ? isNull('gardenId') : equals('gardenId', gardenId);
  const relationKey = equals('relationKey', names.meta('memory:card'));
  const [latest] = await newest(reader, all(aboutSubject(subject), relationKey, sameGarden));
  return { gardenId, latest };
};

const newest = (reader: FactReader, filter: Filter): Promise<StoredFact[]> =>
  reader.find(filter, { view: 'visible', order: 'hlc', limit: 1 });

/** Creates the fact that stores a card. It expires as soon as one of the facts in the card expires. */
export const cardFact = (
  card: Card,
  material: CardMaterial,
  { gardenId }: CardPlace,
  names: ServiceNames,
): FactDraft => ({
  entity: material.entity,
  relation: names.meta('memory:card'),
  value: { type: 'text', v: card.summary, interpretAs: 'content' },
  source: names.systemSource,
  // Never 0, because a confidence of 0 means a retraction.
  confidence: Math.max(card.averageConfidence, Number.EPSILON),
  scope: material.scope,
  gardenId,
  validUntil: earliestEnd(material),
  derivedFrom: material.facts.map(({ fact }) => fact.cid),
});

/** Returns true if the fact has the content of the draft. An unchanged card needs no new fact. */
export const saysTheSame = (fact: StoredFact, draft: FactDraft): boolean =>
  fact.value.v === draft.value.v &&
  fact.confidence === draft.confidence &&
  fact.validUntil === draft.validUntil &&
  fact.derivedFrom.join() === draft.derivedFrom?.join();

const earliestEnd = ({ facts }: CardMaterial): string | null => {
  let earliest: StoredFact | undefined;
  for (const { fact } of facts) {
    if (fact.validUntilMs === null) continue;
    if (earliest?.validUntilMs == null || fact.validUntilMs < earliest.validUntilMs) earliest = fact;
  }
  return earliest?.validUntil ?? null;
};
