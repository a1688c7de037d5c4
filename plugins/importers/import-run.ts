import { EXIT, inTermsOfTheLine, type PatientTarget, type Progress, sendBatch } from '../../kernel/command-api.ts';
import { type DraftChunk, draftChunks, linesOf, repetitionKey } from './draft-chunks.ts';
import type { DraftFacts } from './draft-facts.ts';
import type { EarlierImport } from './earlier-import.ts';
import { type ItemsFile, itemsOfChunk } from './earlier-items.ts';
import { endDeleted } from './end-deleted.ts';
import { withoutStoredEnded } from './ended-facts.ts';
import type { OpenedInput } from './import-input.ts';
import type { StateFile } from './import-state.ts';
import { addTo, type RunTally } from './import-tally.ts';
import type { ImportItem } from './importers-api.ts';
import type { RefusedItems } from './refused-items.ts';

/** The parts that a run and a dry run share. */
export interface ReadingParts {
  readonly target: PatientTarget;
  /** True in the node that stores the facts, which need not be asked whether it replies. */
  readonly isInside?: boolean;
  readonly format: string;
  readonly input: OpenedInput;
  readonly items: AsyncIterable<ImportItem>;
  readonly facts: DraftFacts;
  readonly earlier: EarlierImport;
  readonly maxFacts: number;
  readonly progress: Progress;
  readonly refused: RefusedItems;
}

export interface RunParts extends ReadingParts {
  readonly itemsFile: ItemsFile;
  readonly state: StateFile;
  /** Digest of the input and the options, for the state file. */
  readonly digest: string;
  readonly from: number;
  readonly refusedBefore: number;
}

/** Sends an input to the node, chunk by chunk, and records the progress after each. */
export const runImport = async (parts: RunParts, tally: RunTally): Promise<number> => {
  const { items, facts, format, maxFacts, from, state, digest, refused } = parts;
  let position = from;
  const remember = (isDone: boolean): Promise<void> =>
    state.write({ digest, position, refused: parts.refusedBefore + tally.refused, isDone });
  // The state file is written before the first request, because a run could not be resumed without it.
  await remember(false);
  await parts.itemsFile.begin(from > 0);
  if (from === 0) tally.ended = await endDeleted(parts, { isDry: false });
  for await (const chunk of draftChunks(items, { facts, maxFacts, from, format })) {
    countChunk(parts, chunk, tally);
    if (chunk.drafts.length > 0) {
      const fresh = parts.earlier.withoutKnown(chunk);
      tally.same += chunk.drafts.length - fresh.drafts.length;
      const rejected = await sendChunk(parts, fresh, tally);
      await parts.itemsFile.add(itemsOfChunk(chunk).filter(({ fact }) => !rejected.has(fact)));
    }
    position = chunk.position;
    await refused.flush();
    await remember(false);
    showProgress(parts, tally);
  }
  for await (const item of parts.earlier.remembered()) await parts.itemsFile.add([item]);
  await parts.itemsFile.finish();
  await remember(true);
  return parts.refusedBefore + tally.refused === 0 ? EXIT.ok : EXIT.someRefused;
};

/** Counts the items of a chunk, except the outcomes of its drafts. */
export const countChunk = ({ facts, refused }: ReadingParts, chunk: DraftChunk, tally: RunTally): void => {
  const { drafts, skips, remarks, earlier } = chunk;
  tally.read += drafts.length + skips.length + earlier;
  tally.earlier += earlier;
  tally.isOfFormat ||= drafts.length + earlier > 0;
  for (const { kind } of drafts) addTo(tally.kinds, kind);
  for (const { remark } of remarks) addTo(tally.remarks, remark);
  for (const { at, skipped, isBroken, isForeign = false } of skips) {
    tally.isOfFormat ||= !isForeign;
    addTo(tally.skips, skipped);
    if (isBroken) {
      refused.add(at, skipped);
      tally.refused += 1;
    } else tally.leftOut += 1;
  }
  tally.missedLinks = facts.missedLinks;
};

export const showProgress = ({ input, progress }: ReadingParts, { stored, same }: RunTally): void =>
  progress.update(Math.min(input.readBytes(), input.totalBytes), stored + same);

/**
 * Sends a chunk and counts the outcomes. Returns the keys of refused facts. With `isRehearsal` the node checks the
 * chunk and stores nothing.
 */
export const sendChunk = async (
  parts: ReadingParts,
  whole: DraftChunk,
  tally: RunTally,
  { isRehearsal = false }: { readonly isRehearsal?: boolean } = {},
): Promise<ReadonlySet<string>> => {
  const { target, progress, refused } = parts;
  if (whole.drafts.length === 0) return new Set();
  const chunk = await withoutStoredEnded(target, whole);
  tally.same += whole.drafts.length - chunk.drafts.length;
  if (chunk.drafts.length === 0) return new Set();
  const answer = await sendBatch(
    target,
    { ...chunk, idempotencyKey: parts.earlier.keyOf(chunk.idempotencyKey), isRehearsal },
    {
      answeredBefore: tally.requests > 0,
      onPause: (reason, delayMs) => progress.say(`${reason}; trying again in ${delayMs / 1_000} s`),
    },
  ).catch((error: unknown) => {
    if (!isRehearsal) progress.say(`stopped at ${chunk.drafts[0]?.at}: repeat the command to go on from there`);
    throw error;
  });
  for (const { index, status, code, detail } of answer.rejected) {
    refused.add(chunk.drafts[index]?.at ?? '?', `${status} ${code}: ${inTermsOfTheLine(detail, index)}`);
  }
  // If the reply is a replay, an earlier request stored the facts that it counts.
  const same = answer.replayed ? answer.accepted : answer.existing;
  tally.requests += 1;
  tally.same += same;
  tally.stored += answer.accepted - same;
  tally.refused += answer.rejected.length;
  const lines = linesOf(chunk.body);
  return new Set(answer.rejected.map(({ index }) => repetitionKey(lines[index] ?? '{}')));
};
