import { FUNCTION_WORDS } from './function-words.ts';
import { COMMON, LATIN_LANGUAGES, type LanguageNumber } from './text-languages.ts';

/** The maximum length of a function word. Six letters of five bits fit into one small integer. */
export const LONGEST_WORD = 6;
const LETTER_BITS = 5;

/** Appends a letter to a word that is packed into one number. The letter `a` is 1. */
export const packed = (word: number, letter: number): number => (word << LETTER_BITS) | letter;

/** Looks function words up by their packed letters, without creating a string. */
export class FunctionWordTable {
  readonly #words = new Int32Array(SLOTS);
  readonly #languages = new Uint32Array(SLOTS);

  constructor() {
    this.#add(FUNCTION_WORDS.english, COMMON);
    LATIN_LANGUAGES.forEach((name, at) => {
      this.#add(FUNCTION_WORDS[name], at + 1);
    });
  }

  /** Returns the index of a word, or -1. */
  find(word: number): number {
    const at = this.#slotOf(word);
    return this.#words[at] === word ? at : -1;
  }

  /** Returns the languages of the word at an index, one bit each. */
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

  /** Returns the slot of a word, or the free slot for it. */
  #slotOf(word: number): number {
    let at = Math.imul(word, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (this.#words[at] !== 0 && this.#words[at] !== word) at = (at + 1) & (SLOTS - 1);
    return at;
  }
}

/** The number of slots, as a power of two: about four times the number of words. */
const SLOT_BITS = 12;
const SLOTS = 2 ** SLOT_BITS;
