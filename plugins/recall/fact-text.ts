import { cacheByFact } from '../../kernel/internal-api.ts';
import { type StoredFact, valueText } from '../../kernel/plugin-api.ts';
import { estimateTokens, factLine } from './fact-line.ts';
import { type TextSignature, textSignature } from './text-signature.ts';

/** Tokens and words of a fact, for packing, computed on first use. */
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
