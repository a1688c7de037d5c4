import { defineRef, type StoredFact } from '../../ports/ports.ts';
import type { FactJson } from './fact-json.ts';
import type { FactView } from './fact-view.ts';

/**
 * Returns the fact object as JSON text. The text of a cached fact is cached with it, and reused for every caller who
 * sees the same marks on it.
 */
export type FactText = (view: FactView) => string;

export const FactText = defineRef<FactText>('kernel.fact-text');

interface CachedText {
  readonly marks: FactView['marks'];
  readonly text: string;
}

export const createFactText = (factJson: FactJson): FactText => {
  const cache = new WeakMap<StoredFact, CachedText>();
  return (view) => {
    const { fact, marks, warnings } = view;
    const known = cache.get(fact);
    if (known !== undefined && warnings.length === 0 && saySame(known.marks, marks)) return known.text;
    const text = JSON.stringify(factJson(view));
    if (warnings.length === 0 && Object.isFrozen(fact)) cache.set(fact, { marks, text });
    return text;
  };
};

/** Compares marks. Two objects count as different, because comparing them would cost too much. */
const saySame = (one: FactView['marks'], other: FactView['marks']): boolean => {
  if (one === other) return true;
  let count = 0;
  for (const id in one) {
    const value = one[id];
    if (value !== other[id] || (typeof value === 'object' && value !== null)) return false;
    count += 1;
  }
  for (const _ in other) count -= 1;
  return count === 0;
};
