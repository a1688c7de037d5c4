import { Transform } from 'node:stream';

const LINE_END = 0x0a;
/** The number of bytes at each end of a dropped line that are searched for its id. */
const EDGE_BYTES = 256;

export interface LineHooks {
  /** Takes the beginning and the end of a line that is too long. */
  dropped(edges: string): void;
  /** Returns the line to pass on; undefined to drop it. */
  passed(line: Buffer): Buffer | undefined;
}

/**
 * Passes lines on, but drops each line of more than `mostBytes`. Otherwise one long message would end the connection.
 */
export const boundedLines = (mostBytes: number, { dropped, passed }: LineHooks): Transform => {
  let parts: Buffer[] = [];
  let length = 0;
  let edges: { readonly head: Buffer; tail: Buffer } | undefined;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (edges === undefined && length <= mostBytes) parts.push(piece);
    else if (edges === undefined) {
      const whole = Buffer.concat([...parts, piece]);
      edges = { head: Buffer.from(whole.subarray(0, EDGE_BYTES)), tail: Buffer.from(whole.subarray(-EDGE_BYTES)) };
      parts = [];
    } else edges.tail = Buffer.concat([edges.tail, piece.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
  };
  const end = (): Buffer | undefined => {
    const line = edges === undefined ? passed(Buffer.concat(parts)) : undefined;
    if (edges !== undefined) dropped(`${edges.head.toString('utf8')}\n${edges.tail.toString('utf8')}`);
    parts = [];
    length = 0;
    edges = undefined;
    return line;
  };
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      const bytes = Buffer.from(chunk as Buffer);
      let start = 0;
      for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, start)) {
        add(bytes.subarray(start, at + 1));
        start = at + 1;
        const line = end();
        if (line !== undefined) this.push(line);
      }
      if (start < bytes.length) add(bytes.subarray(start));
      done();
    },
  });
};

/** Returns the id of a JSON-RPC request from the first or last bytes of its line; null if they do not contain it. */
export const idAtEdges = (edges: string): string | number | null => {
  const [head = '', tail = ''] = edges.split('\n');
  const found =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w.-]{1,64}")[,}]/.exec(head)?.[1] ??
    /,"id":(\d{1,15}|"[\w.-]{1,64}")\}$/.exec(tail.trimEnd())?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
};
