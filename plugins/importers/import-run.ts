import {
  countNoun,
  EXIT,
  inTermsOfTheLine,
  type PatientTarget,
  type Progress,
  sendBatch,
} from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { type DraftChunk, draftChunks } from './draft-chunks.ts';
import { createDraftFacts, type DraftDefaults } from './draft-facts.ts';
import { storedBefore } from './ended-facts.ts';
import type { OpenedInput } from './import-input.ts';
import type { StateFile } from './import-state.ts';
import type { ImportItem } from './importers-api.ts';
import type { RefusedItems } from './refused-items.ts';

export interface RunParts {
  readonly target: PatientTarget;
  readonly format: string;
  readonly input: OpenedInput;
  readonly items: AsyncIterable<ImportItem>;
  readonly defaults: DraftDefaults;
  readonly maxFacts: number;
  readonly state: StateFile;
  /** Digest of the input and the options, for the state file. */
  readonly digest: string;
  readonly from: number;
  readonly refusedBefore: number;
  readonly progress: Progress;
  readonly refused: RefusedItems;
}

export interface RunTally {
  readonly kinds: Map<string, number>;
  readonly skips: Map<string, number>;
  accepted: number;
  known: number;
  refused: number;
  requests: number;
  replayed: number;
  missedLinks: number;
}

export const emptyTally = (): RunTally => ({
  kinds: new Map(),
  skips: new Map(),
  accepted: 0,
  known: 0,
  refused: 0,
  requests: 0,
  replayed: 0,
  missedLinks: 0,
});

export const addTo = (counts: Map<string, number>, word: string): void => {
  counts.set(word, (counts.get(word) ?? 0) + 1);
};

/** Sends an input to the node, chunk by chunk, and records the progress after each. */
export const runImport = async (parts: RunParts, tally: RunTally): Promise<number> => {
  const { input, items, format, maxFacts, from, state, digest, progress, refused } = parts;
  const facts = createDraftFacts(parts.defaults);
  let position = from;
  const remember = (isDone: boolean): Promise<void> =>
    state.write({ digest, position, refused: parts.refusedBefore + tally.refused, isDone });
  // The state file is written before the first request, because a run could not be resumed without it.
  await remember(false);
  for await (const chunk of draftChunks(items, { facts, maxFacts, from, format })) {
    for (const { at, skipped, isBroken } of chunk.skips) {
      addTo(tally.skips, skipped);
      if (!isBroken) continue;
      refused.add(at, skipped);
      tally.refused += 1;
    }
    if (chunk.drafts.length > 0) await sendChunk(parts, chunk, tally);
    position = chunk.position;
    tally.missedLinks = facts.missedLinks;
    await refused.flush();
    await remember(false);
    progress.update(Math.min(input.readBytes(), input.totalBytes), tally.accepted);
  }
  await remember(true);
  return parts.refusedBefore + tally.refused === 0 ? EXIT.ok : EXIT.someRefused;
};

const sendChunk = async (parts: RunParts, whole: DraftChunk, tally: RunTally): Promise<void> => {
  const { target, progress, refused } = parts;
  const chunk = await storedBefore(target, whole);
  tally.known += whole.drafts.length - chunk.drafts.length;
  for (const { kind } of whole.drafts) addTo(tally.kinds, kind);
  if (chunk.drafts.length === 0) return;
  const answer = await sendBatch(target, chunk, {
    answeredBefore: tally.requests > 0,
    onPause: (reason, delayMs) => progress.say(`${reason}; trying again in ${delayMs / 1_000} s`),
  }).catch((error: unknown) => {
    progress.say(`stopped at ${chunk.drafts[0]?.at}: repeat the command to go on from there`);
    throw error;
  });
  for (const { index, status, code, detail } of answer.rejected) {
    refused.add(chunk.drafts[index]?.at ?? '?', `${status} ${code}: ${inTermsOfTheLine(detail, index)}`);
  }
  tally.requests += 1;
  tally.accepted += answer.accepted;
  tally.refused += answer.rejected.length;
  if (answer.replayed) tally.replayed += 1;
};

const MAX_SAMPLES = 5;
const MAX_SAMPLE = 240;

/** Reads the whole input without sending it. Returns the first facts as they would be sent. */
export const dryRun = async (
  {
    items,
    defaults,
    progress,
    input,
    refused,
  }: Pick<RunParts, 'items' | 'defaults' | 'progress' | 'input' | 'refused'>,
  tally: RunTally,
): Promise<readonly string[]> => {
  const facts = createDraftFacts(defaults);
  const samples: string[] = [];
  for await (const item of items) {
    if ('skipped' in item) {
      addTo(tally.skips, item.skipped);
      if (!item.isBroken) continue;
      refused.add(item.at, item.skipped);
      tally.refused += 1;
    } else {
      const fact = facts.factOf(item);
      addTo(tally.kinds, item.kind);
      tally.accepted += 1;
      if (samples.length < MAX_SAMPLES) samples.push(shortened(JSON.stringify(fact)));
    }
    progress.update(Math.min(input.readBytes(), input.totalBytes), tally.accepted);
  }
  tally.missedLinks = facts.missedLinks;
  await refused.flush();
  return samples;
};

const shortened = (line: string): string => (line.length > MAX_SAMPLE ? `${line.slice(0, MAX_SAMPLE)}…` : line);

/** An input without any item was probably meant for another format. */
export const refuseEmpty = (tally: RunTally, format: string): void => {
  if (tally.kinds.size + tally.skips.size > 0) return;
  throw new ServiceError('validation', `nothing in the input looks like an export of the format ${format}`, {
    hint: '"import-from --list" says what each format expects',
  });
};

/** A summary of the import, for people. */
export const summaryOf = (tally: RunTally, isDry: boolean): string => {
  const lines = [...tally.kinds].map(([kind, count]) => `  ${kind}: ${count}`);
  const skips = [...tally.skips].map(([reason, count]) => `  skipped, ${reason}: ${count}`);
  const { accepted, known, refused, missedLinks, replayed } = tally;
  const head = isDry
    ? `${countNoun(accepted, 'fact')} would be sent, ${refused} refused; nothing was sent`
    : `${countNoun(accepted + known, 'fact')} accepted, ${refused} refused`;
  const remarks = [
    ...(known === 0 ? [] : [`  known to the node and not sent again: ${known}`]),
    ...(replayed === 0 ? [] : [`  requests known from an earlier run: ${replayed}`]),
    ...(missedLinks === 0 ? [] : [`  links to items that are not in the input: ${missedLinks}`]),
  ];
  return [head, ...lines, ...skips, ...remarks].join('\n');
};
