/** One line of a file. `bytes` is null for a line beyond the maximum length. */
export interface NumberedLine {
  /** The number of the line, from 1. */
  readonly number: number;
  readonly bytes: Buffer | null;
  /** The number of bytes up to the end of this line. */
  readonly offset: number;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Splits a stream into lines, one at a time, so that a file may be larger than memory. */
export async function* readLines(
  source: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<NumberedLine, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  let offset = 0;

  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  const take = (): NumberedLine => {
    const whole = length > maxLineBytes ? null : Buffer.concat(parts);
    const marked = number === 1 && whole?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) === true;
    const line = { number, bytes: marked && whole !== null ? whole.subarray(BYTE_ORDER_MARK.length) : whole, offset };
    parts = [];
    length = 0;
    number += 1;
    return line;
  };

  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at));
      offset += at + 1 - from;
      from = at + 1;
      yield take();
    }
    keep(chunk.subarray(from));
    offset += chunk.length - from;
  }
  if (length > 0) yield take();
}
