import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import { type DraftChunk, draftChunks, linesOf, onlyKept } from './draft-chunks.ts';
import type { DraftFacts } from './draft-facts.ts';
import { type EarlierItem, type ItemsFile, itemsOfChunk } from './earlier-items.ts';
import type { ImportItem } from './importers-api.ts';

/** The comparison of this import with the previous import of the same source. */
export interface EarlierImport {
  /** False without a previous import, or if this run does not compare with it. */
  readonly isKnown: boolean;
  /**
   * Returns an idempotency key that also depends on the previous import. With an unchanged key, the node would repeat
   * an old reply for a day, and not store an ended fact again.
   */
  keyOf(idempotencyKey: string): string;
  /** Yields one retraction, as a request body, for each triple that the source has deleted or changed. */
  retractions(): AsyncIterable<string>;
  /** Returns the chunk without the drafts that the previous import stored. */
  withoutKnown(chunk: DraftChunk): DraftChunk;
  /** Yields the items of the previous import to remember beside the items of this import. */
  remembered(): AsyncIterable<EarlierItem>;
}

/** The comparison for a run without a previous import. */
export const NO_EARLIER_IMPORT: EarlierImport = {
  isKnown: false,
  keyOf: (key) => key,
  async *retractions() {},
  withoutKnown: (chunk) => chunk,
  async *remembered() {},
};

export interface ComparisonParts {
  readonly file: ItemsFile;
  /** Yields the items of the input, from its start. */
  items(): AsyncIterable<ImportItem>;
  /** Converts the items of this comparison to facts. */
  readonly facts: DraftFacts;
  /** True to end the facts that the source has deleted. */
  readonly isFollowing: boolean;
}

/**
 * Compares the input with the previous import of its source. Facts of that import count as stored, even if somebody has
 * retracted them since. With `isFollowing`, throws `validation` for an input with damaged items, or without a common
 * item.
 */
export const compareWithEarlier = async ({
  file,
  items,
  facts,
  isFollowing,
}: ComparisonParts): Promise<EarlierImport> => {
  const known = await knownFacts(file);
  if (known.size === 0 || (known.size > MAX_ITEMS && !isFollowing)) return NO_EARLIER_IMPORT;
  if (known.size > MAX_ITEMS) throw refused(`the last import has more than ${MAX_ITEMS} items`);
  const { present, broken } = await presentAmong(known, items(), facts).catch((error: unknown) => {
    // The import itself reports the damage, after it has stored the items before the damaged one.
    if (isFollowing || !(error instanceof ServiceError)) throw error;
    return { present: new Set<string>(), broken: 0 };
  });
  const isSameSource = present.size > 0;
  if (isFollowing && broken > 0) throw refused(`${broken} damaged items of the input may look deleted`);
  if (isFollowing && !isSameSource) {
    throw new ServiceError('validation', 'the input shares no item with the last import that was made beside it', {
      hint: 'it seems to be another source: import it without --follow-deletions, or name the file of --state',
    });
  }
  const digest = sha256Hex([...known].join());
  const ended = isFollowing ? await endedTriples(file, present) : new Set<string>();
  return {
    isKnown: true,
    keyOf: (key) => `import-again-${sha256Hex(`${digest}:${key}`)}`,
    async *retractions() {
      const done = new Set<string>();
      for await (const { triple, names } of file.read()) {
        if (!ended.has(triple) || done.has(triple)) continue;
        done.add(triple);
        yield JSON.stringify({ ...names, value: { type: 'null', v: null }, confidence: 0 });
      }
    },
    withoutKnown(chunk) {
      const keep = itemsOfChunk(chunk).map(({ triple, fact }) => ended.has(triple) || !known.has(fact));
      return keep.every(Boolean) ? chunk : onlyKept(chunk, linesOf(chunk.body), keep);
    },
    async *remembered() {
      if (isFollowing || !isSameSource) return;
      for await (const item of file.read()) if (!present.has(item.fact)) yield item;
    },
  };
};

/** The maximum number of items to compare, which bounds the memory. */
const MAX_ITEMS = 1_000_000;

const refused = (why: string): ServiceError =>
  new ServiceError('validation', `deletions cannot be followed: ${why}`, { hint: 'import without --follow-deletions' });

const knownFacts = async (file: ItemsFile): Promise<ReadonlySet<string>> => {
  const known = new Set<string>();
  for await (const { fact } of file.read()) {
    known.add(fact);
    if (known.size > MAX_ITEMS) break;
  }
  return known;
};

const presentAmong = async (known: ReadonlySet<string>, items: AsyncIterable<ImportItem>, facts: DraftFacts) => {
  const present = new Set<string>();
  let broken = 0;
  for await (const chunk of draftChunks(items, { facts, maxFacts: 1_000, from: 0, format: 'comparison' })) {
    for (const { fact } of itemsOfChunk(chunk)) if (known.has(fact)) present.add(fact);
    broken += chunk.skips.filter(({ isBroken }) => isBroken).length;
  }
  return { present, broken };
};

const endedTriples = async (file: ItemsFile, present: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const ended = new Set<string>();
  for await (const { triple, fact } of file.read()) if (!present.has(fact)) ended.add(triple);
  return ended;
};
