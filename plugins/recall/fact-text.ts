import { cacheByFact, type StoredFact, valueText } from '../../kernel/plugin-api.ts';
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

export const textOf = cacheByFact((fact) => new FactText(fact));
