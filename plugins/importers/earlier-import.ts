import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import { type DraftChunk, draftChunks, linesOf, onlyKept } from './draft-chunks.ts';
import type { DraftFacts } from './draft-facts.ts';
import { type EarlierItem, type ItemsFile, itemsOfChunk } from './earlier-items.ts';
import type { ImportItem } from './importers-api.ts';

/** The last import of the same source, beside the present one. */
export interface EarlierImport {
  /** False if there was none, or if it is not compared with. */
  readonly isKnown: boolean;
  /**
   * Turns the key of a request into one of this comparison. Without it, a fact that was ended would not be stored again
   * for a day, because the node would repeat its answer.
   */
  keyOf(idempotencyKey: string): string;
  /** Bodies that end triples which the source has deleted or changed, each at most once. */
  retractions(): AsyncIterable<string>;
  /** Leaves out the drafts that the earlier import stored. */
  withoutKnown(chunk: DraftChunk): DraftChunk;
  /** The items to remember beside those of the present import. */
  remembered(): AsyncIterable<EarlierItem>;
}

/** For a run that compares with no earlier import. */
export const NO_EARLIER_IMPORT: EarlierImport = {
  isKnown: false,
  keyOf: (key) => key,
  async *retractions() {},
  withoutKnown: (chunk) => chunk,
  async *remembered() {},
};

export interface ComparisonParts {
  readonly file: ItemsFile;
  /** Reads the input from its start. */
  items(): AsyncIterable<ImportItem>;
  /** Makes the facts of this one reading. */
  readonly facts: DraftFacts;
  /** True to end the facts that the source has deleted. */
  readonly isFollowing: boolean;
}

/**
 * Compares the input with the last import of its source. Facts that it stored are known, also those that somebody has
 * retracted since. To follow deletions throws `validation` for an input with damaged items, or without a common item.
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
    // The import itself tells the user about the damage, after the items before it.
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

/** Limits the memory for the items of the last import. */
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
