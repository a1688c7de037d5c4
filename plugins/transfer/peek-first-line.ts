const NEWLINE = 0x0a;
/** The maximum size of the first line, above the size of any header. */
const LIMIT_BYTES = 64 * 1024;

/** Reads the first line, and returns it together with the whole unconsumed source. */
export const peekFirstLine = async (
  source: AsyncIterable<Buffer>,
): Promise<{ readonly firstLine: string; readonly source: AsyncIterable<Buffer> }> => {
  const rest = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let bytes = 0;
  let ended = false;
  while (bytes < LIMIT_BYTES && !(read.at(-1)?.includes(NEWLINE) ?? false)) {
    const { done, value } = await rest.next();
    if (done === true) {
      ended = true;
      break;
    }
    read.push(value);
    bytes += value.length;
  }
  const start = Buffer.concat(read);
  const end = start.indexOf(NEWLINE);
  return { firstLine: start.subarray(0, end < 0 ? start.length : end).toString(), source: joined(start, rest, ended) };
};

async function* joined(start: Buffer, rest: AsyncIterator<Buffer>, ended: boolean): AsyncGenerator<Buffer> {
  try {
    if (start.length > 0) yield start;
    if (ended) return;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
