/** Splits bytes of the PostgreSQL protocol, after its first message, into frames of a type, a length and a content. */
export const takeFrames = (bytes: Buffer): { readonly frames: readonly Buffer[]; readonly rest: Buffer } => {
  const frames: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes.length < end) break;
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return { frames, rest: bytes.subarray(at) };
};

/** Puts a prefix before the name of a prepared statement, so that connections of one session do not share names. */
export const renameStatements = (frame: Buffer, prefix: string): Buffer => {
  const at = nameAt(frame);
  // The unnamed statement has an empty name.
  if (at === undefined || frame[at] === 0) return frame;
  const renamed = Buffer.concat([frame.subarray(0, at), Buffer.from(prefix), frame.subarray(at)]);
  renamed.writeInt32BE(renamed.length - 1, 1);
  return renamed;
};

const CONTENT_AT = 5;

/** Returns the place of the statement's name; undefined for a message that has none. */
const nameAt = (frame: Buffer): number | undefined => {
  switch (String.fromCharCode(frame[0] ?? 0)) {
    case 'P':
      return CONTENT_AT;
    case 'B':
      // The name of the portal is first.
      return frame.indexOf(0, CONTENT_AT) + 1;
    case 'D':
    case 'C':
      return String.fromCharCode(frame[CONTENT_AT] ?? 0) === 'S' ? CONTENT_AT + 1 : undefined;
    default:
      return undefined;
  }
};
