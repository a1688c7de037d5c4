import type { StoredFact } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { textOf } from './fact-text.ts';
import type { ScoredFact } from './recall-api.ts';

/**
 * Keeps the best of several facts that say the same, and lists the ids of the others as its `copies`. Keeps the order.
 * A summary of an entity is never merged with facts, and neither is a fact whose text the recall has not read.
 */
export const sayOnce = <T extends ScoredFact>(ranked: readonly T[]): T[] => {
  const byHash = new Map<number, T>();
  const copies = new Map<T, string[]>();
  const distinct = ranked.filter((one) => {
    if (one.fromCard) return true;
    const { hash, isRead } = textOf(one.view.fact);
    if (!isRead) return true;
    const known = byHash.get(hash);
    if (known === undefined) byHash.set(hash, one);
    if (known === undefined || !saysTheSame(known, one)) return true;
    copies.set(known, [...(copies.get(known) ?? []), one.view.fact.id]);
    return false;
  });
  return copies.size === 0 ? distinct : distinct.map((one) => withCopies(one, copies.get(one)));
};

const withCopies = <T extends ScoredFact>(fact: T, copies: readonly string[] | undefined): T =>
  copies === undefined ? fact : { ...fact, copies };

/**
 * Two facts say the same only if place, type of value and state of contradiction are equal too. A short text, such as
 * `open`, has a meaning only together with its entity, so its triple must be equal as well.
 */
const saysTheSame = (a: ScoredFact, b: ScoredFact): boolean => {
  const [one, other] = [a.view.fact, b.view.fact];
  return (
    isSamePlace(one, other) &&
    one.value.type === other.value.type &&
    one.value.interpretAs === other.value.interpretAs &&
    isContradicted(a.view) === isContradicted(b.view) &&
    textOf(one).says(textOf(other)) &&
    (textOf(one).isSentence || isSameTriple(one, other))
  );
};

export const isSamePlace = (a: StoredFact, b: StoredFact): boolean => a.scope === b.scope && a.gardenId === b.gardenId;

export const isSameTriple = (a: StoredFact, b: StoredFact): boolean =>
  a.entityKey === b.entityKey && a.relationKey === b.relationKey;
