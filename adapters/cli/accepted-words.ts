import type { Option } from 'commander';

/** The words that an option accepts, which help says in its own words and completion offers. */
const accepted = new WeakMap<Option, readonly string[]>();

export const acceptWords = (option: Option, words: readonly string[]): void => {
  accepted.set(option, words);
};

export const acceptedWords = (option: Option): readonly string[] => accepted.get(option) ?? [];
