/** Longer lines may hold other settings, secrets among them, so they are only counted. */
const MAX_SHOWN_LINE = 200;
/** Bounds the lines on each side for the search of the shortest difference. */
const MAX_COMPARED = 2_000;

/**
 * The removed (`-`) and added (`+`) lines, without context, which may hold secrets of other programs. Empty without a
 * change.
 */
export const textDiff = (before: string, after: string): readonly string[] => {
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

const gone = (line: string): string => `- ${shown(line)}`;
const come = (line: string): string => `+ ${shown(line)}`;

const shown = (line: string): string => (line.length > MAX_SHOWN_LINE ? `(a line of ${line.length} characters)` : line);

/** Uses the longest common subsequence. */
const compared = (left: readonly string[], right: readonly string[]): string[] => {
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
  const lines: string[] = [];
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
