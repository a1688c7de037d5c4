import type { PatientTarget } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { type DraftChunk, draftChunks, linesOf, onlyKept, repetitionKey } from './draft-chunks.ts';
import { endDeleted } from './end-deleted.ts';
import { countChunk, type ReadingParts, sendChunk, showProgress } from './import-run.ts';
import type { RunTally } from './import-tally.ts';
import { refusalOf } from './judge-drafts.ts';

const MAX_SAMPLES = 5;
const MAX_SAMPLE = 240;
/** The maximum number of facts to remember from earlier requests, which bounds the memory. */
const MAX_SEEN = 1_000_000;

export interface DryRun {
  /** The first facts, in the form in which a real run sends them. */
  readonly samples: readonly string[];
  /** `node` if a node checked the facts; `rules` if no node replied, so that the command checked only the members. */
  readonly judge: 'node' | 'rules';
}

/** Reads the whole input and stores nothing. The node checks each fact, if a node replies. */
export const dryRun = async (parts: ReadingParts, tally: RunTally): Promise<DryRun> => {
  const { items, facts, format, maxFacts, refused, target, isInside = false } = parts;
  const samples: string[] = [];
  const seen = new Set<string>();
  const judge = isInside || (await answers(target)) ? 'node' : 'rules';
  tally.ended = await endDeleted(parts, { isDry: true });
  for await (const chunk of draftChunks(items, { facts, maxFacts, from: 0, format })) {
    for (const line of linesOf(chunk.body).slice(0, MAX_SAMPLES - samples.length)) samples.push(shortened(line));
    countChunk(parts, chunk, tally);
    const fresh = withoutSeen(parts.earlier.withoutKnown(chunk), seen, judge === 'rules');
    tally.same += chunk.drafts.length - fresh.drafts.length;
    if (judge === 'rules') judgeByRules(parts, fresh, tally);
    else if (fresh.drafts.length > 0) await sendChunk(parts, fresh, tally, { isRehearsal: true });
    await refused.flush();
    showProgress(parts, tally);
  }
  return { samples, judge };
};

const answers = async ({ server }: PatientTarget): Promise<boolean> => {
  try {
    await server.send({ method: 'GET', path: '/healthz' });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unavailable') return false;
    throw error;
  }
};

const judgeByRules = ({ refused, target }: ReadingParts, { body, drafts }: DraftChunk, tally: RunTally): void => {
  for (const [at, line] of linesOf(body).entries()) {
    const refusal = refusalOf(JSON.parse(line), target.clock.nowMs());
    if (refusal === null) tally.stored += 1;
    else {
      tally.refused += 1;
      refused.add(drafts[at]?.at ?? '?', refusal);
    }
  }
};

/**
 * Returns the chunk without drafts that repeat a draft of an earlier request. The node recognises repetitions only
 * inside one request, because a dry run stores nothing.
 */
const withoutSeen = (chunk: DraftChunk, seen: Set<string>, isAlone: boolean): DraftChunk => {
  const lines = linesOf(chunk.body);
  const own = isAlone ? seen : new Set<string>();
  const keep = lines.map((line) => {
    const key = repetitionKey(line);
    const isKnown = seen.has(key);
    if (seen.size + own.size < MAX_SEEN) own.add(key);
    return !isKnown;
  });
  for (const key of own) seen.add(key);
  return keep.every(Boolean) ? chunk : onlyKept(chunk, lines, keep);
};

const shortened = (line: string): string => (line.length > MAX_SAMPLE ? `${line.slice(0, MAX_SAMPLE)}…` : line);
