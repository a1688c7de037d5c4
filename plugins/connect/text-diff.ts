import { countNoun } from '../../kernel/command-api.ts';

/** The maximum length of a shown line. A longer line may contain other settings, including secrets. */
const MAX_SHOWN_LINE = 200;
/** The maximum number of lines on each side that are compared exactly. */
const MAX_COMPARED = 2_000;

interface ChangedLine {
  readonly sign: '-' | '+';
  readonly line: string;
}

/**
 * Returns the removed (`-`) and added (`+`) lines; empty without a change. Shows no unchanged lines, because they may
 * contain secrets of other programs.
 */
export const textDiff = (before: string, after: string): readonly string[] => {
  const changes = changesOf(before, after);
  const long = changes.filter(({ line }) => line.length > MAX_SHOWN_LINE);
  return changes.map((change) => `${change.sign} ${shown(change, long)}`);
};

/**
 * Returns the text to show for a line. A long line is shown whole unless it replaces another long line. Then both
 * contain the other settings of the file, so only the added text is shown.
 */
const shown = ({ sign, line }: ChangedLine, long: readonly ChangedLine[]): string => {
  if (line.length <= MAX_SHOWN_LINE) return line;
  const [rival, ...more] = long.filter((other) => other.sign !== sign);
  if (rival === undefined) return line;
  const own = more.length === 0 && long.length === 2 ? insertedIn(line, rival.line) : undefined;
  return own === undefined ? `(a line of ${countNoun(line.length, 'character')})` : `… ${own} …`;
};

/**
 * Returns the text that was inserted into the shorter line to get this one; undefined if the lines differ otherwise.
 */
const insertedIn = (line: string, shorter: string): string | undefined => {
  const added = line.length - shorter.length;
  if (added <= 0) return undefined;
  let start = 0;
  while (start < shorter.length && line[start] === shorter[start]) start += 1;
  return line.slice(start + added) === shorter.slice(start) ? line.slice(start, start + added) : undefined;
};

const changesOf = (before: string, after: string): readonly ChangedLine[] => {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const left = old.slice(start, old.length - end);
  const right = fresh.slice(start, fresh.length - end);
  if (left.length > MAX_COMPARED || right.length > MAX_COMPARED) return [...left.map(gone), ...right.map(come)];
  return compared(left, right);
};

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

const gone = (line: string): ChangedLine => ({ sign: '-', line });
const come = (line: string): ChangedLine => ({ sign: '+', line });

/** Uses the longest common subsequence. */
const compared = (left: readonly string[], right: readonly string[]): ChangedLine[] => {
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const place = row * width + column;
      common[place] =
        left[row] === right[column]
          ? (common[place + width + 1] as number) + 1
          : Math.max(common[place + width] as number, common[place + 1] as number);
    }
  }
  const lines: ChangedLine[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const place = row * width + column;
    if (row < left.length && column < right.length && left[row] === right[column]) {
      row += 1;
      column += 1;
    } else if (column === right.length || (row < left.length && below(common, place, width))) {
      lines.push(gone(left[row] as string));
      row += 1;
    } else {
      lines.push(come(right[column] as string));
      column += 1;
    }
  }
  return lines;
};

const below = (common: Uint16Array, place: number, width: number): boolean =>
  (common[place + width] as number) >= (common[place + 1] as number);
