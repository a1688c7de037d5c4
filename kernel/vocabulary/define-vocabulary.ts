/**
 * A name that the kernel or a plugin owns: an error code, a permission, a kind of event. Plain data, so that it can be
 * read before anything is set up. A word is one value, imported by everybody who uses it; nobody spells its id again.
 */
export interface Word {
  /** What the word is, in plain English, because messages say it: `error code`, `permission`. */
  readonly vocabulary: string;
  readonly id: string;
  /** One line for people, for the reference pages. */
  readonly summary: string;
  /** Words that come with this one and must not clash either. */
  readonly parts?: readonly Word[];
  /** The word only keeps its name from others: `Vocabulary` clashes over it and never returns it. */
  readonly isReserved?: true;
}

/** What a definition adds to the id. */
type Definition<W extends Word> = Omit<W, 'vocabulary' | 'id'>;

/** A set of words that anybody can add to. `W` is what its words have in common. */
export interface WordKind<W extends Word = Word> {
  readonly vocabulary: string;
  /** Makes a word. Throws for an id of another form, which is a mistake in the module that defines it. */
  define<const D extends Definition<W>>(id: string, definition: D): W & D;
  /** Keeps a name that the owner of the vocabulary uses itself from others. The owner lists it in `declares`. */
  reserve(id: string): Word;
}

/**
 * Declares a vocabulary. Two of them are the same when their names are. The reader of the words offers a function
 * `define<Kind>` that calls `define`, and finds the words of the node with `Vocabulary.words`.
 */
export const defineVocabulary = <W extends Word = Word>(vocabulary: string, form: RegExp): WordKind<W> =>
  Object.freeze({
    vocabulary,
    define: <const D extends Definition<W>>(id: string, definition: D): W & D => {
      if (!form.test(id))
        throw new RangeError(`${JSON.stringify(id)} is no ${vocabulary}: it must match ${form.source}`);
      return Object.freeze({ ...definition, vocabulary, id }) as unknown as W & D;
    },
    reserve: (id: string): Word => Object.freeze({ vocabulary, id, summary: 'reserved', isReserved: true }),
  });

/** Whether a value that nobody here compiled is a word. */
export const isWord = (value: unknown): value is Word => {
  if (typeof value !== 'object' || value === null) return false;
  const { vocabulary, id, summary, parts = [] } = value as Partial<Record<keyof Word, unknown>>;
  const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
  return isText(vocabulary) && isText(id) && isText(summary) && Array.isArray(parts) && parts.every(isWord);
};
