import { FUNCTION_WORDS } from './function-words.ts';
import { COMMON, LATIN_LANGUAGES, type LanguageNumber } from './text-languages.ts';

/** Letters of the longest word that is known. Six of five bits are one small number. */
export const LONGEST_WORD = 6;
const LETTER_BITS = 5;

/** The number of a word that goes on with a letter, 1 for a. */
export const packed = (word: number, letter: number): number => (word << LETTER_BITS) | letter;

/** Function words by their packed letters, found without making a string. */
export class FunctionWordTable {
  readonly #words = new Int32Array(SLOTS);
  readonly #languages = new Uint32Array(SLOTS);

  constructor() {
    this.#add(FUNCTION_WORDS.english, COMMON);
    LATIN_LANGUAGES.forEach((name, at) => {
      this.#add(FUNCTION_WORDS[name], at + 1);
    });
  }

  /** Place of a word, or -1. */
  find(word: number): number {
    const at = this.#slotOf(word);
    return this.#words[at] === word ? at : -1;
  }

  /** Languages of the word at a place, one bit each. */
  languagesOf(at: number): number {
    return at < 0 ? 0 : (this.#languages[at] as number);
  }

  #add(words: string, language: LanguageNumber): void {
    for (const text of words.split(/\s+/)) {
      const word = [...text].reduce((sum, letter) => packed(sum, letter.charCodeAt(0) - 96), 0);
      const at = this.#slotOf(word);
      this.#words[at] = word;
      this.#languages[at] = (this.#languages[at] as number) | (1 << language);
    }
  }

  /** Where a word is, or would be. */
  #slotOf(word: number): number {
    let at = Math.imul(word, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (this.#words[at] !== 0 && this.#words[at] !== word) at = (at + 1) & (SLOTS - 1);
    return at;
  }
}

/** Four times the words. */
const SLOT_BITS = 12;
const SLOTS = 2 ** SLOT_BITS;
