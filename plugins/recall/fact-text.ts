import { cacheByFact } from '../../kernel/internal-api.ts';
import { type StoredFact, valueText } from '../../kernel/plugin-api.ts';
import { normaliseText } from '../../kernel/thread-api.ts';
import { BYTES_PER_TOKEN, estimateTokens, factLine } from './fact-line.ts';
import { hashText, type TextSignature, textSignature } from './text-signature.ts';

/** Tokens, words and hash of a fact, for packing, computed on first use. */
export class FactText {
  readonly #fact: StoredFact;
  #tokens: number | undefined;
  #signature: TextSignature | undefined;
  #hash: number | undefined;

  constructor(fact: StoredFact) {
    this.#fact = fact;
  }

  get tokens(): number {
    this.#tokens ??= estimateTokens(factLine(this.#fact));
    return this.#tokens;
  }

  /** A hash of the folded text: 32 bits, without sign. */
  get hash(): number {
    this.#hash ??= hashText(foldedText(this.#fact));
    return this.#hash;
  }

  /** Tokens of the line with a value of at most `mostBytes`. */
  tokensUpTo(mostBytes: number | undefined): number {
    if (mostBytes === undefined) return this.tokens;
    const { entity, relation } = this.#fact;
    return Math.min(
      this.tokens,
      Math.ceil((Buffer.byteLength(`${entity} ${relation} `) + mostBytes) / BYTES_PER_TOKEN),
    );
  }

  readonly signature = (): TextSignature => {
    this.#signature ??= textSignature(valueText(this.#fact.value));
    return this.#signature;
  };
}

/** Returns the value as text, without differences in case, white space or Unicode composition. */
export const foldedText = ({ value }: StoredFact): string =>
  normaliseText(valueText(value), 'NFC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');

export const textOf = cacheByFact((fact) => new FactText(fact));
