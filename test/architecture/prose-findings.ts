/** A sentence that breaks a rule of plain English. */
export interface ProseFinding {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
  readonly sentence: string;
}

interface Block {
  readonly line: number;
  readonly text: string;
}

/** Words that may begin a clause only in a question. */
const STARTS = /^(What|Whoever|Who|Whom|Whose|Nobody|None|Of what|Of which|Such|Beside|As far as)\b(?!.*\?$)/;

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(whoever|whatever|whichever|whomever|lest|thereby|wherein|whereof|hitherto|likewise)\b/i, 'old word'],
  [/\b(is|are|was|were) (told|said|asked|looked at|heard|spoken) of\b/i, 'indirect passive'],
  [/\b(hears?|tells?|knows?|speaks?|vouches?) (of|for) (it|them|what|whoever)\b/i, 'personified'],
  [
    /\bno (more|longer) than what\b|\bwhat (is|was|are|were|has|had|can|may|must|only|else|comes?|came|stands?|stood|follows?|others?)\b/i,
    'headless "what"',
  ],
  [
    /\bthat there (is|are)\b|\bshall (not )?(be|lie|have)\b|\b(are|is|were|was) (begun|made|read|told|written|asked) anew\b/i,
    'inversion or old form',
  ],
];

const MOST_WORDS = 32;
/** Shorter texts are names, not sentences. */
const LEAST_CHARACTERS = 12;

const split = (text: string, at: RegExp): string[] =>
  text
    .split(at)
    .map((piece) => piece.trim())
    .filter(({ length }) => length > LEAST_CHARACTERS);

const reasonsAgainst = (sentence: string): { reason: string; sentence: string }[] => {
  const found = split(sentence, /(?<=[:;])\s+/).flatMap((clause) => {
    const phrase = PHRASES.find(([pattern]) => pattern.test(clause));
    return [
      ...(STARTS.test(clause) ? [{ reason: 'starts with a pronoun', sentence: clause }] : []),
      ...(phrase === undefined ? [] : [{ reason: phrase[1], sentence: clause }]),
    ];
  });
  const isLong = sentence.split(/\s+/).length > MOST_WORDS;
  return isLong ? [...found, { reason: `over ${MOST_WORDS} words`, sentence }] : found;
};

const COMMENT_LINE = /^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?(.*?)(?:\*\/)?\s*$/;
const TEST_TITLE = /\b(?:it|describe|forEachStore)\(\s*(['"`])((?:(?!\1).)+)\1/;

/** Joins neighbouring lines of prose into blocks; `proseOf` returns undefined for a line that ends a block. */
const joinLines = (lines: readonly string[], proseOf: (line: string) => string | undefined): Block[] => {
  const blocks: { line: number; texts: string[] }[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const prose = proseOf(line);
    if (prose !== undefined && isOpen) blocks.at(-1)?.texts.push(prose);
    else if (prose !== undefined) blocks.push({ line: at + 1, texts: [prose] });
    isOpen = prose !== undefined;
  }
  return blocks.map(({ line, texts }) => ({ line, text: texts.join(' ') }));
};

const blocksOfCode = (lines: readonly string[]): Block[] => {
  const titles = lines.flatMap((line, at) => {
    const title = TEST_TITLE.exec(line)?.[2];
    return title === undefined ? [] : [{ line: at + 1, text: title }];
  });
  const comments = joinLines(lines, (line) => (/^\s*\*\//.test(line) ? undefined : COMMENT_LINE.exec(line)?.[1]));
  return [...comments, ...titles];
};

/** Code blocks, headings and markup are no prose; each cell of a table and each item of a list is a block. */
const blocksOfPage = (lines: readonly string[]): Block[] => {
  let isCode = false;
  const prose = lines.map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode ? '' : line;
  });
  const cells = prose.flatMap((line, at) =>
    /^\s*\|/.test(line) ? split(line, /\|/).map((text) => ({ line: at + 1, text })) : [],
  );
  // An empty line before each item lets the item begin a block.
  const separated = prose.flatMap((line, at) => {
    const isProse = !/^\s*(\||#|<|$)/.test(line);
    const entry = { line: at + 1, text: isProse ? line.replace(/^\s*[-*]\s+/, '') : undefined };
    return /^\s*[-*\d]/.test(line) ? [{ line: at, text: undefined }, entry] : [entry];
  });
  const blocks = joinLines(
    separated.map(({ text }) => text ?? ''),
    (text) => (text === '' ? undefined : text),
  );
  return [...cells, ...blocks.map(({ line, text }) => ({ line: separated[line - 1]?.line ?? line, text }))];
};

/** Finds sentences that break a rule of plain English in comments and test titles of a source file, or in a page. */
export const findProse = (path: string, text: string): ProseFinding[] => {
  const lines = text.split('\n');
  const blocks = path.endsWith('.md') ? blocksOfPage(lines) : blocksOfCode(lines);
  return blocks.flatMap(({ line, text: block }) =>
    split(block.replace(/`[^`]*`/g, '`x`'), /(?<=[.!?])\s+/).flatMap((sentence) =>
      reasonsAgainst(sentence).map((found) => ({ path, line, ...found })),
    ),
  );
};
