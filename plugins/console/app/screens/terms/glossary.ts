/** The page docs/concepts/glossary.md, which the build puts here. */
declare const GLOSSARY_PAGE: string;

/** A word of the documentation, and its meaning without links. */
export interface GlossaryWord {
  readonly word: string;
  readonly means: string;
}

const ROW = /^\| ([^|]+) \| ([^|]+) \|$/;
const LINK = /\[([^\]]+)\]\([^)]+\)/g;

/** Reads the table of the glossary. Its links lead to pages that the console does not have. */
export const readGlossary = (text: string): readonly GlossaryWord[] =>
  text
    .split('\n')
    .slice(text.split('\n').findIndex((line) => line.startsWith('|---')) + 1)
    .flatMap((line) => {
      const [, word, means] = ROW.exec(line) ?? [];
      if (word === undefined || means === undefined) return [];
      return [{ word, means: means.replaceAll(LINK, '$1').replaceAll('`', '') }];
    });

/** Returns the glossary of the documentation. */
export const ownGlossary = (): readonly GlossaryWord[] => readGlossary(GLOSSARY_PAGE);
