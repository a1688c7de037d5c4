import { numberOrNull, textOrNull } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc, type Row, type SqlValue } from '../../../kernel/plugin-api.ts';

/**
 * `building`: some older facts have no vector of it yet. `complete`: all older facts were examined. `leaving`: its
 * vectors are being removed.
 */
export type GenerationState = 'building' | 'complete' | 'leaving';

/**
 * Vectors that one embedder made from one form of text, in one pass. A change of the embedder, or a request by an
 * operator, begins another generation. The previous one serves until the new one is complete.
 */
export interface Generation {
  /** The name under which its vectors are stored. */
  readonly name: string;
  /** `Embedder.id`. */
  readonly embedder: string;
  /** `TEXT_VERSION` of the embedded texts. */
  readonly textVersion: number;
  /** The number of the generation among those of its embedder, from 1. */
  readonly number: number;
  readonly state: GenerationState;
  /** The feed position up to which new facts were embedded, those after its beginning. */
  readonly fresh: Hlc;
  /** The facts from before its beginning; undefined once all are embedded. */
  readonly backlog: Backlog | undefined;
  /** The number of examined backlog facts, out of `total`. */
  readonly done: number;
  readonly total: number;
  readonly begunMs: number | null;
  readonly usedMs: number;
  /** The reason why the last attempt to embed failed; null after a success. */
  readonly error: string | null;
}

export interface Backlog {
  /** The feed position up to which the backlog is embedded. */
  readonly position: Hlc;
  /** The feed position at which the backlog ends. */
  readonly goal: Hlc;
}

/** A stamp before everything in the feed. */
export const BEFORE_FEED: Hlc = Object.freeze({ wallMs: 0, counter: -1 });

/** Returns the name of a generation. The first one has the name of its embedder. */
export const generationName = (embedder: string, textVersion: number, number: number): string =>
  textVersion === 1 && number === 1 ? embedder : `${embedder} #${textVersion}.${number}`;

export const generationFromRow = (row: Readonly<Record<string, SqlValue>>): Generation => {
  const goal = stampFrom(row, 'goal');
  return {
    name: String(row['embedder']),
    embedder: String(row['made_by']),
    textVersion: Number(row['text_version']),
    number: Number(row['number']),
    state: row['state'] as GenerationState,
    fresh: stampFrom(row, 'feed') ?? BEFORE_FEED,
    backlog: goal === undefined ? undefined : { position: stampFrom(row, 'backlog') ?? BEFORE_FEED, goal },
    done: Number(row['done']),
    total: Number(row['total']),
    begunMs: numberOrNull(row['begun_ms']),
    usedMs: Number(row['used_ms']),
    error: textOrNull(row['error']),
  };
};

/** Returns a new generation. Everything up to the head of the feed is its backlog; later facts are embedded at once. */
export const newGenerationRow = (
  { embedder, textVersion, number }: Pick<Generation, 'embedder' | 'textVersion' | 'number'>,
  { head, facts, nowMs }: { readonly head: Hlc | null; readonly facts: number; readonly nowMs: number },
): Row => {
  const fresh = head ?? BEFORE_FEED;
  return {
    embedder: generationName(embedder, textVersion, number),
    made_by: embedder,
    text_version: textVersion,
    number,
    state: head === null ? 'complete' : 'building',
    feed_wall: fresh.wallMs,
    feed_ctr: fresh.counter,
    backlog_wall: head === null ? null : BEFORE_FEED.wallMs,
    backlog_ctr: head === null ? null : BEFORE_FEED.counter,
    goal_wall: head?.wallMs ?? null,
    goal_ctr: head?.counter ?? null,
    done: 0,
    total: facts,
    begun_ms: nowMs,
    completed_ms: head === null ? nowMs : null,
    used_ms: nowMs,
    error: null,
  };
};

/** The progress of a step, among new facts or facts of the backlog. */
export type Advance =
  | { readonly of: 'fresh'; readonly upTo: Hlc }
  | { readonly of: 'backlog'; readonly upTo: Hlc; readonly examined: number };

/** Returns the columns that a step changes. */
export const advancedColumns = (generation: Generation, advance: Advance, nowMs: number): Row => {
  const { upTo } = advance;
  if (advance.of === 'fresh') return { feed_wall: upTo.wallMs, feed_ctr: upTo.counter, used_ms: nowMs, error: null };
  const done = Math.min(generation.done + advance.examined, generation.total);
  const { goal } = generation.backlog ?? { goal: upTo };
  if (compareHlc(upTo, goal) < 0) {
    return { backlog_wall: upTo.wallMs, backlog_ctr: upTo.counter, done, used_ms: nowMs, error: null };
  }
  const none = { backlog_wall: null, backlog_ctr: null, goal_wall: null, goal_ctr: null };
  return { ...none, done: generation.total, state: 'complete', completed_ms: nowMs, used_ms: nowMs, error: null };
};

const stampFrom = (row: Readonly<Record<string, SqlValue>>, of: string): Hlc | undefined =>
  row[`${of}_wall`] == null ? undefined : { wallMs: Number(row[`${of}_wall`]), counter: Number(row[`${of}_ctr`]) };
