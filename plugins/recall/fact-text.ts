import { valueText } from '../../kernel/internal-api.ts';
import { type StoredFact, sha256Hex } from '../../kernel/plugin-api.ts';
import { normaliseText } from '../../kernel/thread-api.ts';
import { BYTES_PER_TOKEN, lineBytes, tokensOfBytes } from './fact-line.ts';
import { hashText, type TextSignature, textSignature } from './text-signature.ts';

/**
 * The maximum number of characters of a value that are folded for each candidate. Folding costs some 15 ms for each
 * mebibyte, and a recall compares hundreds of candidates.
 */
export const LONGEST_FOLDED = 4096;

const WORDS_OF_A_SENTENCE = 4;

/** Matches eight characters of a script without spaces, which are at least four words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{8}/u;

/**
 * Tokens, words and hash of a fact, for packing, each computed once and on first use. Work on a long text is limited to
 * its beginning, except for `says`, which folds the whole text at most once.
 */
export class FactText {
  readonly #fact: StoredFact;
  #tokens: number | undefined;
  #signature: TextSignature | undefined;
  #hash: number | undefined;
  #isSentence: boolean | undefined;
  #digest: string | undefined;

  constructor(fact: StoredFact) {
    this.#fact = fact;
  }

  /** False if the store has left out the text, which is then unknown. */
  get isRead(): boolean {
    return this.#fact.unreadBytes === undefined;
  }

  get tokens(): number {
    this.#tokens ??= tokensOfBytes(lineBytes(this.#fact));
    return this.#tokens;
  }

  /** A hash, 32 bits without sign, which is equal for facts that say the same. */
  get hash(): number {
    if (this.#hash === undefined) {
      const hash = hashText(this.#foldedBeginning());
      this.#hash = this.#isLong ? (hash ^ this.#text.length) >>> 0 : hash;
    }
    return this.#hash;
  }

  /** True for a text that is meaningful without its entity. */
  get isSentence(): boolean {
    if (this.#isSentence === undefined) {
      const text = this.#foldedBeginning();
      const isLong = text.split(' ', WORDS_OF_A_SENTENCE).length === WORDS_OF_A_SENTENCE;
      this.#isSentence = isLong || UNSPACED.test(text);
    }
    return this.#isSentence;
  }

  /**
   * Returns whether the texts are equal, apart from case, white space and Unicode composition. Long texts of different
   * lengths count as different.
   */
  says(other: FactText): boolean {
    if (!this.isRead || !other.isRead) return false;
    if (this.#text === other.#text) return true;
    if (!this.#isLong && !other.#isLong) return this.#foldedBeginning() === other.#foldedBeginning();
    return this.#text.length === other.#text.length && this.hash === other.hash && this.#whole() === other.#whole();
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
    this.#signature ??= textSignature(this.#text);
    return this.#signature;
  };

  get #text(): string {
    return valueText(this.#fact.value);
  }

  get #isLong(): boolean {
    return this.#text.length > LONGEST_FOLDED;
  }

  #foldedBeginning(): string {
    return folded(this.#text.slice(0, LONGEST_FOLDED));
  }

  /** Returns a digest of the whole text. The folded text itself would take as much memory as the fact. */
  #whole(): string {
    this.#digest ??= sha256Hex(folded(this.#text));
    return this.#digest;
  }
}

/** Returns a text without differences in case, white space or Unicode composition. */
const folded = (text: string): string => normaliseText(text, 'NFC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');

const texts = new WeakMap<StoredFact, FactText>();

/** Returns the text of a fact. It is made once for each object, so that its costly parts are computed once. */
export const textOf = (fact: StoredFact): FactText => {
  const known = texts.get(fact);
  if (known !== undefined) return known;
  const made = new FactText(fact);
  texts.set(fact, made);
  return made;
};
