import { foldName } from '../../kernel/internal-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';
import { type DraftFacts, sessionHeader } from './draft-facts.ts';
import type { ImportDraft, ImportItem, ImportRemark, ImportSkip } from './importers-api.ts';
import { shortDigest } from './origin-values.ts';

/** The maximum size of a fact: a value has at most 1 MiB of text, and JSON escapes may lengthen it six times. */
const MAX_FACT_BYTES = 8 * 1024 * 1024;
/** The maximum size of a request body, well below the 16 MiB that the route accepts. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** The maximum number of skipped items in a row before a chunk ends, so that their progress is saved. */
const MAX_SKIPS = 1_000;

/** Drafts of one request, all from one conversation or from none. */
export interface DraftChunk {
  readonly body: Buffer;
  /** In the order of the lines in the request body. */
  readonly drafts: readonly ImportDraft[];
  readonly skips: readonly ImportSkip[];
  readonly remarks: readonly ImportRemark[];
  /** Number of items, since the previous chunk, that an earlier run completed. */
  readonly earlier: number;
  readonly session: string | undefined;
  /** Number of input items up to the end of this chunk, remarks included. */
  readonly position: number;
  /** Derived from the content alone, so that equal facts have the same key in every run. */
  readonly idempotencyKey: string;
}

export const linesOf = (body: Buffer): string[] => body.toString().split('\n').slice(0, -1);

/** Returns the chunk with only the drafts that `keep` marks, under a new idempotency key. */
export const onlyKept = (chunk: DraftChunk, lines: readonly string[], keep: readonly boolean[]): DraftChunk => {
  const text = lines.flatMap((line, at) => (keep[at] === true ? [`${line}\n`] : [])).join('');
  return {
    ...chunk,
    drafts: chunk.drafts.filter((_, at) => keep[at]),
    body: Buffer.from(text),
    idempotencyKey: `import-rest-${sha256Hex(`${chunk.session ?? ''}\n${text}`)}`,
  };
};

/** Returns the same key for a fact and its repetitions; their timestamps do not count. */
export const repetitionKey = (line: string): string => {
  const { timestamp: _, ...fact } = JSON.parse(line) as Record<string, unknown>;
  const names = NAMES.map((name) => foldName(String(fact[name])).replaceAll(/\s/g, '-'));
  return sha256Hex(JSON.stringify([...names, { ...fact, ...NO_NAMES }])).slice(0, 32);
};

const NAMES = ['entity', 'relation', 'source'] as const;
const NO_NAMES = Object.fromEntries(NAMES.map((name) => [name, undefined]));

export interface ChunkOptions {
  readonly facts: DraftFacts;
  readonly maxFacts: number;
  /** Number of items that an earlier run completed. */
  readonly from: number;
  /** Part of every idempotency key. */
  readonly format: string;
}

/** Splits the items of an input into requests. */
export async function* draftChunks(
  items: AsyncIterable<ImportItem>,
  { facts, maxFacts, from, format }: ChunkOptions,
): AsyncGenerator<DraftChunk, void, undefined> {
  const open = new OpenChunk(format);
  let position = 0;
  for await (const item of items) {
    // Builds facts that an earlier run stored again, because later facts may derive from them.
    const line = 'entity' in item ? `${JSON.stringify(facts.factOf(item))}\n` : '';
    if (position < from) {
      if (!('remark' in item)) open.earlier += 1;
    } else if ('remark' in item) open.remarks.push(item);
    else if ('skipped' in item) open.skips.push(item);
    else if (line.length > MAX_FACT_BYTES) {
      open.skips.push({ at: item.at, skipped: `longer than ${MAX_FACT_BYTES / 1024 / 1024} MiB`, isBroken: true });
    } else {
      if (open.isFullFor(item, line)) yield open.take(position);
      open.add(item, line);
    }
    position += 1;
    if (open.drafts.length >= maxFacts || open.skips.length + open.remarks.length >= MAX_SKIPS) {
      yield open.take(position);
    }
  }
  if (!open.isEmpty) yield open.take(position);
}

class OpenChunk {
  readonly #format: string;
  #lines: string[] = [];
  #bytes = 0;
  #session: string | undefined;
  drafts: ImportDraft[] = [];
  skips: ImportSkip[] = [];
  remarks: ImportRemark[] = [];
  earlier = 0;

  constructor(format: string) {
    this.#format = format;
  }

  get isEmpty(): boolean {
    return this.drafts.length + this.skips.length + this.remarks.length + this.earlier === 0;
  }

  isFullFor(draft: ImportDraft, line: string): boolean {
    if (this.drafts.length === 0) return false;
    return sessionHeader(draft, shortDigest) !== this.#session || this.#bytes + line.length > MAX_CHUNK_BYTES;
  }

  add(draft: ImportDraft, line: string): void {
    this.#session = sessionHeader(draft, shortDigest);
    this.#lines.push(line);
    this.drafts.push(draft);
    this.#bytes += line.length;
  }

  take(position: number): DraftChunk {
    const { drafts, skips, remarks, earlier } = this;
    const text = this.#lines.join('');
    const session = this.#session;
    const idempotencyKey = `import-${this.#format.slice(0, 64)}-${sha256Hex(`${session ?? ''}\n${text}`)}`;
    this.#lines = [];
    this.#bytes = 0;
    this.drafts = [];
    this.skips = [];
    this.remarks = [];
    this.earlier = 0;
    return { body: Buffer.from(text), drafts, skips, remarks, earlier, session, position, idempotencyKey };
  }
}
