import { sha256Hex } from '../../kernel/plugin-api.ts';
import { type DraftFacts, sessionHeader } from './draft-facts.ts';
import type { ImportDraft, ImportItem, ImportSkip } from './importers-api.ts';
import { shortDigest } from './origin-values.ts';

/** A value has at most 1 MiB of text, which JSON escapes may lengthen six times. */
const MAX_FACT_BYTES = 8 * 1024 * 1024;
/** Well under the 16 MiB that the route accepts. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** Ends a chunk after many skips without a fact, so that their progress is saved. */
const MAX_SKIPS = 1_000;

/** Drafts of one request, all from one conversation or from none. */
export interface DraftChunk {
  readonly body: Buffer;
  /** In the order of the lines in the request body. */
  readonly drafts: readonly ImportDraft[];
  readonly skips: readonly ImportSkip[];
  readonly session: string | undefined;
  /** Number of input items up to the end of this chunk. */
  readonly position: number;
  /** Derived from the content alone, so that equal facts have the same key in every run. */
  readonly idempotencyKey: string;
}

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
  let lines: string[] = [];
  let drafts: ImportDraft[] = [];
  let skips: ImportSkip[] = [];
  let session: string | undefined;
  let bytes = 0;
  let position = 0;

  const take = (): DraftChunk => {
    const text = lines.join('');
    const idempotencyKey = `import-${format.slice(0, 64)}-${sha256Hex(`${session ?? ''}\n${text}`)}`;
    const chunk = { body: Buffer.from(text), drafts, skips, session, position, idempotencyKey };
    lines = [];
    drafts = [];
    skips = [];
    bytes = 0;
    return chunk;
  };

  for await (const item of items) {
    // Facts that an earlier run stored are built again, because later ones may derive from them.
    const line = 'skipped' in item ? null : `${JSON.stringify(facts.factOf(item))}\n`;
    if (position < from) {
      position += 1;
      continue;
    }
    if (line === null || 'skipped' in item) skips.push(item as ImportSkip);
    else if (line.length > MAX_FACT_BYTES) {
      skips.push({ at: item.at, skipped: `longer than ${MAX_FACT_BYTES / 1024 / 1024} MiB`, isBroken: true });
    } else {
      const next = sessionHeader(item, shortDigest);
      if (lines.length > 0 && (next !== session || bytes + line.length > MAX_CHUNK_BYTES)) yield take();
      session = next;
      lines.push(line);
      drafts.push(item);
      bytes += line.length;
    }
    position += 1;
    if (lines.length >= maxFacts || skips.length >= MAX_SKIPS) yield take();
  }
  if (lines.length > 0 || skips.length > 0) yield take();
}
