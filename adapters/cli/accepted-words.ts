import type { Option } from 'commander';

export interface AcceptedWords {
  readonly words: readonly string[];
  /** Several of them may be given, with commas between them. */
  readonly isList: boolean;
}

/** The words that an option accepts, which help says in its own words and completion offers. */
const accepted = new WeakMap<Option, AcceptedWords>();

export const acceptWords = (option: Option, words: AcceptedWords): void => {
  accepted.set(option, words);
};

export const acceptedWords = (option: Option): AcceptedWords => accepted.get(option) ?? NO_WORDS;

const NO_WORDS: AcceptedWords = { words: [], isList: false };
