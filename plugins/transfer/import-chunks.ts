import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readLines } from '../../kernel/command-api.ts';
import { assertableLine } from './returned-fact.ts';

/**
 * The maximum size of a line: the longest value has 1 MiB of text, escapes may lengthen it six times, and the other
 * members are short.
 */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** The target size of a request body, well below the 16 MiB that the route accepts, even with the longest last line. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;

/** A line that need not be sent. */
export interface RefusedLine {
  readonly number: number;
  readonly reason: string;
}

/** Lines that are asserted in one request. */
export interface ImportChunk {
  /** Body of the request, `application/x-ndjson`. */
  readonly body: Buffer;
  /** Line number in the file for each line of the body. */
  readonly lineNumbers: readonly number[];
  readonly refused: readonly RefusedLine[];
  /** Offset in the file at the end of this chunk. */
  readonly offset: number;
  /** Equal for every read of the same file, but different for two equal chunks of one file. */
  readonly idempotencyKey: string;
}

/** Splits a file of one JSON object per line into requests. Skips blank lines. */
export async function* importChunks(
  source: AsyncIterable<Buffer>,
  maxLines: number,
): AsyncGenerator<ImportChunk, void, undefined> {
  let lines: Buffer[] = [];
  let lineNumbers: number[] = [];
  let refused: RefusedLine[] = [];
  let bytes = 0;
  let offset = 0;
  let chain = '';

  const take = (): ImportChunk => {
    const body = Buffer.concat(lines);
    // Includes the earlier chunks in the digest, because a later chunk may repeat one on purpose: assert, retract,
    // assert again.
    chain = createHash('sha256').update(chain).update(body).digest('hex');
    const chunk = { body, lineNumbers, refused, offset, idempotencyKey: `import-${chain}` };
    lines = [];
    lineNumbers = [];
    refused = [];
    bytes = 0;
    return chunk;
  };

  for await (const line of readLines(source, MAX_LINE_BYTES)) {
    const reason = refusal(line.bytes);
    if (reason !== null) refused.push({ number: line.number, reason });
    else if (line.bytes !== null && !isBlank(line.bytes)) {
      const sent = assertableLine(line.bytes);
      if (lines.length > 0 && bytes + sent.length > MAX_CHUNK_BYTES) yield take();
      lines.push(sent, LINE_END);
      lineNumbers.push(line.number);
      bytes += sent.length + 1;
    }
    offset = line.offset;
    if (lineNumbers.length >= maxLines || refused.length >= maxLines) yield take();
  }
  if (lineNumbers.length > 0 || refused.length > 0) yield take();
}

const LINE_END = Buffer.from('\n');

const refusal = (bytes: Buffer | null): string | null => {
  if (bytes === null) return `longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`;
  return isUtf8(bytes) ? null : 'not valid UTF-8';
};

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
