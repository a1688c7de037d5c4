/**
 * A name that the kernel or a plugin owns: an error code, a permission, a kind of event. Plain data, so that it can be
 * read before any setup. A word is one value that all users import; its id is spelled once.
 */
export interface Word {
  /** The kind of the word in plain English, for messages: `error code`, `permission`. */
  readonly vocabulary: string;
  readonly id: string;
  /** A one-line description for the reference pages. */
  readonly summary: string;
  /** Words that belong to this one and must be unique too. */
  readonly parts?: readonly Word[];
  /** True for a word that only reserves its name: `Vocabulary` refuses a second owner and never returns it. */
  readonly isReserved?: true;
}

/** The members of a definition without the id. */
type Definition<W extends Word> = Omit<W, 'vocabulary' | 'id'>;

/** An extensible set of words with the common members `W`. */
export interface WordKind<W extends Word = Word> {
  readonly vocabulary: string;
  /** Creates a word. Throws for an invalid id, which is a mistake in the defining module. */
  define<const D extends Definition<W>>(id: string, definition: D): W & D;
  /** Reserves a name that the owner of the vocabulary uses itself. The owner lists it in `declares`. */
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

/** Returns whether an unchecked value is a word. */
export const isWord = (value: unknown): value is Word => {
  if (typeof value !== 'object' || value === null) return false;
  const { vocabulary, id, summary, parts = [] } = value as Partial<Record<keyof Word, unknown>>;
  const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
  return isText(vocabulary) && isText(id) && isText(summary) && Array.isArray(parts) && parts.every(isWord);
};
