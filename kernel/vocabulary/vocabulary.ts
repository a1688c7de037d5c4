import { defineRef } from '../../ports/ports.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import type { Word, WordKind } from './define-vocabulary.ts';

/** A word with its owner: the plugin that declares it, or `kernel`. */
export interface OwnedWord<W extends Word = Word> {
  readonly word: W;
  readonly owner: string;
}

/**
 * All words of one node: those of the kernel, then those of the enabled plugins. They do not change after the start of
 * the setup.
 */
export interface Vocabulary {
  /** Returns the words of one vocabulary. */
  words<W extends Word>(kind: WordKind<W>): readonly W[];
  /** Returns the word with this id; undefined while no plugin declares it. */
  find<W extends Word>(kind: WordKind<W>, id: string): W | undefined;
  /** Returns every word with its owner, for reference pages. */
  all(): readonly OwnedWord[];
}

export const Vocabulary = defineRef<Vocabulary>('kernel.vocabulary');

/** The owner of words that belong to the kernel. */
export const KERNEL_OWNER = 'kernel';

/** Collects words. A word with two owners, or one that an owner declares twice, is a boot problem. */
export const collectWords = (declared: readonly OwnedWord[], problems: BootProblem[]): Vocabulary => {
  const byVocabulary = new Map<string, Map<string, OwnedWord>>();
  for (const owned of declared.flatMap(withParts)) {
    const { vocabulary, id } = owned.word;
    const known = byVocabulary.get(vocabulary) ?? new Map<string, OwnedWord>();
    byVocabulary.set(vocabulary, known);
    const first = known.get(id);
    if (first === undefined) known.set(id, owned);
    else problems.push(clash(first, owned));
  }
  for (const words of byVocabulary.values()) {
    for (const { word } of words.values()) if (word.isReserved) words.delete(word.id);
  }
  const ownedIn = ({ vocabulary }: { readonly vocabulary: string }) => byVocabulary.get(vocabulary);
  return {
    words: <W extends Word>(kind: WordKind<W>) => [...(ownedIn(kind)?.values() ?? [])].map(({ word }) => word as W),
    find: <W extends Word>(kind: WordKind<W>, id: string) => ownedIn(kind)?.get(id)?.word as W | undefined,
    all: () => [...byVocabulary.values()].flatMap((words) => [...words.values()]),
  };
};

const withParts = (owned: OwnedWord): OwnedWord[] => [
  owned,
  ...(owned.word.parts ?? []).flatMap((word) => withParts({ word, owner: owned.owner })),
];

const clash = (first: OwnedWord, second: OwnedWord): BootProblem => {
  const { vocabulary, id } = second.word;
  if (first.owner === second.owner) return { message: `${first.owner} declares the ${vocabulary} ${id} twice` };
  const hint = first.owner === KERNEL_OWNER ? 'another name is needed' : 'disable one of them, or rename the word';
  return { message: `the ${vocabulary} ${id} is declared by ${first.owner} and by ${second.owner}`, hint };
};
