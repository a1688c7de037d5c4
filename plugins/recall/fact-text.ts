import { type StoredFact, valueText } from '../../kernel/plugin-api.ts';
import { estimateTokens, factLine } from './fact-line.ts';
import { type TextSignature, textSignature } from './text-signature.ts';

/** What packing wants to know of a fact, worked out when it is first asked for. */
export class FactText {
  readonly #fact: StoredFact;
  #tokens: number | undefined;
  #signature: TextSignature | undefined;

  constructor(fact: StoredFact) {
    this.#fact = fact;
  }

  get tokens(): number {
    this.#tokens ??= estimateTokens(factLine(this.#fact));
    return this.#tokens;
  }

  readonly signature = (): TextSignature => {
    this.#signature ??= textSignature(valueText(this.#fact.value));
    return this.#signature;
  };
}

/** By the fact itself: the store gives the same one to many recalls, as long as it keeps it. */
const known = new WeakMap<StoredFact, FactText>();

export const textOf = (fact: StoredFact): FactText => {
  const text = known.get(fact);
  if (text !== undefined) return text;
  const fresh = new FactText(fact);
  // Another one might still change.
  if (Object.isFrozen(fact)) known.set(fact, fresh);
  return fresh;
};
