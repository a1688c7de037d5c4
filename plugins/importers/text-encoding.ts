import { ServiceError } from '../../kernel/plugin-api.ts';

const MARKS = [
  { bytes: [0xff, 0xfe, 0, 0], encoding: undefined },
  { bytes: [0, 0, 0xfe, 0xff], encoding: undefined },
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
const LONGEST_MARK = 4;

/** Returns the canonical name of an encoding. Throws `validation` for an unknown one. */
export const encodingOf = (label: string): string => {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new ServiceError('validation', '--encoding names no known encoding', {
      hint: 'for example windows-1252, iso-8859-15, utf-16le, shift_jis or gb18030',
    });
  }
};

/** The encoding of a file, according to its first bytes. */
interface Start {
  readonly encoding: string;
  /** Length of the byte order mark. */
  readonly markBytes: number;
}

/**
 * Yields the text as UTF-8 without a byte order mark. The mark determines the encoding, otherwise `encoding`, otherwise
 * UTF-8. Throws `validation` for bytes that are invalid in the encoding. Without `isStrict`, invalid bytes in UTF-8
 * pass unchanged.
 */
export async function* utf8Of(
  source: AsyncIterable<Buffer>,
  path: string,
  { encoding, isStrict }: { readonly encoding: string | undefined; readonly isStrict: boolean },
): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | null = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  const decode = (bytes: Buffer, isLast: boolean): Buffer => {
    if (decoder === null) return bytes;
    try {
      return Buffer.from(decoder.decode(bytes, { stream: !isLast }));
    } catch {
      throw undecodable(path, decoder.encoding);
    }
  };
  const begin = (bytes: Buffer): Buffer => {
    const start = startOf(bytes, path, encoding);
    const isPlain = start.encoding === 'utf-8' && !isStrict;
    decoder = isPlain ? null : new TextDecoder(start.encoding, { fatal: true, ignoreBOM: true });
    return bytes.subarray(start.markBytes);
  };
  for await (const chunk of source) {
    if (head === null) yield decode(chunk, false);
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < LONGEST_MARK) continue;
      const rest = begin(head);
      head = null;
      yield decode(rest, false);
    }
  }
  const rest = head === null ? Buffer.alloc(0) : begin(head);
  yield decode(rest, true);
}

const startOf = (bytes: Buffer, path: string, encoding: string | undefined): Start => {
  const mark = MARKS.find((one) => one.bytes.every((byte, at) => bytes[at] === byte));
  if (mark !== undefined) {
    if (mark.encoding === undefined) throw undecodable(path, 'utf-32');
    return { encoding: mark.encoding, markBytes: mark.bytes.length };
  }
  // In UTF-16 without a mark, each ASCII character has a zero byte beside it.
  if (encoding === undefined && bytes.subarray(0, LONGEST_MARK).includes(0)) throw undecodable(path, 'utf-8');
  return { encoding: encoding ?? 'utf-8', markBytes: 0 };
};

const undecodable = (path: string, encoding: string): ServiceError =>
  encoding === 'utf-32'
    ? new ServiceError('validation', `${path} is UTF-32, which is not read`, { hint: 'save it as UTF-8' })
    : new ServiceError('validation', `${path} has bytes that are not ${encoding.toUpperCase()}`, {
        hint: 'name its encoding with --encoding, for example --encoding windows-1252 or --encoding utf-16le',
      });
