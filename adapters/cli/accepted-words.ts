import type { Option } from 'commander';

export interface AcceptedWords {
  readonly words: readonly string[];
  /** True when the option takes several of the words, separated by commas. */
  readonly isList: boolean;
}

/** The accepted words of each option, for shell completion. The help describes them in its own text. */
const accepted = new WeakMap<Option, AcceptedWords>();

export const acceptWords = (option: Option, words: AcceptedWords): void => {
  accepted.set(option, words);
};

export const acceptedWords = (option: Option): AcceptedWords => accepted.get(option) ?? NO_WORDS;

const NO_WORDS: AcceptedWords = { words: [], isList: false };
