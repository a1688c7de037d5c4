import { foldLetters } from './fold-letters.ts';
import { FunctionWordTable, LONGEST_WORD, packed } from './function-word-table.ts';
import { TELLING_LETTERS } from './function-words.ts';
import { COMMON, LATIN_LANGUAGES, type LanguageNumber } from './text-languages.ts';

/**
 * Detects the language of a text by its function words and letters, which vote for languages. The winner needs two
 * votes, a minimum share of the words, and more votes than any other. English, undecided texts and other scripts are
 * `COMMON`, because words of other scripts identify themselves. Reads only the beginning of a text, and of an English
 * one a few words.
 */
export const languageOf = (text: string): LanguageNumber => {
  const ballot = new Ballot();
  const end = Math.min(text.length, MOST_READ);
  let word = 0;
  let letters = 0;
  let words = 0;
  for (let at = 0; at <= end; at += 1) {
    const code = at < end ? text.charCodeAt(at) : 0;
    const letter = code < LETTER_CODES ? (LETTER_OF[code] as number) : NO_LETTER;
    if (letter !== NO_LETTER) {
      word = packed(word, letter);
      // A word of letters and digits is not a function word.
      letters += letter === DIGIT ? LONGEST_WORD + 1 : 1;
      if (code >= 128) ballot.letter(code);
      continue;
    }
    if (letters === 0) continue;
    words += 1;
    if (letters <= LONGEST_WORD && ballot.word(word)) return COMMON;
    word = 0;
    letters = 0;
  }
  return ballot.winner(words);
};

/** True if a folded word of the language carries no meaning for a search. */
export const isFunctionWord = (word: string, language: LanguageNumber): boolean => {
  if (word.length > LONGEST_WORD || !/^[a-z]+$/.test(word)) return false;
  const code = [...word].reduce((sum, letter) => packed(sum, letter.charCodeAt(0) - BEFORE_A), 0);
  return (TABLE.languagesOf(TABLE.find(code)) & (1 << language)) !== 0;
};

const TABLE = new FunctionWordTable();
const ENGLISH = COMMON;
const LEAST_VOTES = 2;
/** In every supported language, at least one word in this many is a function word. */
const MOST_WORDS_A_VOTE = 6;

/** Counts votes: each word and each letter votes once for every language that it identifies. */
class Ballot {
  readonly #votes = new Uint8Array(LATIN_LANGUAGES.length + 1);
  readonly #seen = new Set<number>();
  /** The most votes of any language except English. */
  #most = 0;

  letter(code: number): void {
    const languages = SPEAKS_FOR[code] as number;
    if (languages !== 0) this.#vote(languages, -code);
  }

  /** Counts a word. Returns true once the text is certainly English. */
  word(code: number): boolean {
    const at = TABLE.find(code);
    if (at < 0) return false;
    this.#vote(TABLE.languagesOf(at), code);
    return (this.#votes[ENGLISH] as number) >= this.#most + LEAST_VOTES;
  }

  winner(words: number): LanguageNumber {
    const most = this.#most;
    const isTold = most >= LEAST_VOTES && most > (this.#votes[ENGLISH] as number) && most * MOST_WORDS_A_VOTE >= words;
    return isTold ? this.#votes.indexOf(most, 1) : COMMON;
  }

  #vote(languages: number, by: number): void {
    if (languages === ENGLISH_ALONE) {
      this.#votes[ENGLISH] = (this.#votes[ENGLISH] as number) + 1;
      return;
    }
    if (this.#seen.has(by)) return;
    this.#seen.add(by);
    for (let rest = languages; rest !== 0; rest &= rest - 1) {
      const language = 31 - Math.clz32(rest & -rest);
      const votes = (this.#votes[language] as number) + 1;
      this.#votes[language] = votes;
      if (language !== ENGLISH && votes > this.#most) this.#most = votes;
    }
  }
}

/** English is decided early, without a comparison of its votes. */
const ENGLISH_ALONE = 1 << ENGLISH;
const MOST_READ = 400;
const NO_LETTER = 0;
const DIGIT = 31;
const BEFORE_A = 96;
/** The codes below this one are ASCII, Latin-1, and Latin Extended-A and -B. */
const LETTER_CODES = 0x250;

/**
 * The position in the alphabet of each letter without its accent. A letter that folds to two has the position of the
 * first.
 */
const LETTER_OF = Uint8Array.from({ length: LETTER_CODES }, (_, code) => {
  const plain = foldLetters(String.fromCharCode(code));
  if (/^[0-9]/.test(plain)) return DIGIT;
  return /^[a-z]/.test(plain) ? plain.charCodeAt(0) - BEFORE_A : NO_LETTER;
});

/** The languages that each letter beyond ASCII votes for, one bit each. */
const SPEAKS_FOR = new Uint32Array(LETTER_CODES);
LATIN_LANGUAGES.forEach((name, at) => {
  const letters = TELLING_LETTERS[name];
  for (const letter of new Set([...letters, ...letters.toUpperCase()])) {
    const code = letter.charCodeAt(0);
    if (code >= 128 && code < LETTER_CODES) SPEAKS_FOR[code] = (SPEAKS_FOR[code] as number) | (1 << (at + 1));
  }
});
