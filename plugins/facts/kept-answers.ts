import type { Clock, Facts, Principal, Reply } from '../../kernel/plugin-api.ts';

export interface KeptAnswersParts {
  readonly facts: Pick<Facts, 'version'>;
  readonly clock: Clock;
  /** Memory for the answers; 0 keeps none. */
  readonly maxBytes: number;
}

/** Instants from and up to which the same question is answered alike while `Facts.version` stays the same. */
export interface Steadiness {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Kept extends Steadiness {
  readonly reply: Reply;
}

/** A question without a kept answer, and where its answer may be put. */
export interface OpenQuestion {
  /** Whether it was asked before since the last commit: an answer that nobody asks for again is not worth its keep. */
  readonly isRepeated: boolean;
  keep(reply: Reply & { readonly text: string }, steadiness: Steadiness): void;
}

/**
 * Replies that were given since the last commit to the store, ready to be sent again. The store is asked at each use
 * whether anything was committed, by whatever process; then all of them are gone. So a kept reply is the one that would
 * be made anew, and there is nothing in it that somebody has erased. When the room is filled nothing more is kept, lest
 * who walks through everything drives out what others ask for. Which questions were asked once has a room of its own,
 * and begins anew when that is filled: it never takes the room of answers.
 */
export class KeptAnswers {
  readonly #parts: KeptAnswersParts;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  /** Questions that were asked since the last commit. */
  readonly #asked = new Set<string>();
  #askedBytes = 0;
  #version: string | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts;
  }

  /** The reply to the question of this caller, or the question itself; undefined where nothing can be kept. */
  find(caller: Principal, question: object): Reply | OpenQuestion | undefined {
    if (this.#parts.maxBytes === 0 || !this.#isCurrent()) return undefined;
    const key = `${nameOf(caller)} ${JSON.stringify(question)}`;
    const kept = this.#kept.get(key);
    const nowMs = this.#parts.clock.nowMs();
    if (kept !== undefined && kept.fromMs <= nowMs && nowMs < kept.untilMs) return kept.reply;
    const isRepeated = kept !== undefined || this.#asked.has(key);
    if (!isRepeated) this.#note(key);
    const version = this.#version;
    return {
      isRepeated,
      keep: (reply, steadiness) => {
        // The snapshot of the answer was taken later: it may be newer than the version, and is of no use then.
        if (this.#isCurrent() && this.#version === version) this.#put(key, reply, steadiness);
      },
    };
  }

  /** Lets go of everything. Idempotent. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#clear();
  }

  /** Lets go of what is of no use any more, though nobody asks: what was erased is not to stay in memory. */
  #sweep(): void {
    this.#cancelSweep = undefined;
    this.#isCurrent();
    if (this.#kept.size > 0) this.#sweepLater();
  }

  /** Only while something is kept, so that a node at rest does nothing. */
  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.clock.schedule(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
    this.#forgetAsked();
  }

  /** Drops what was kept when something has changed. False while the store cannot tell. */
  #isCurrent(): boolean {
    const version = this.#parts.facts.version();
    if (version === undefined || version !== this.#version) {
      this.#clear();
      this.#version = version;
    }
    return version !== undefined;
  }

  #forgetAsked(): void {
    this.#asked.clear();
    this.#askedBytes = 0;
  }

  #note(key: string): void {
    const bytes = key.length + OBJECT_BYTES;
    if (this.#askedBytes + bytes > this.#parts.maxBytes * ASKED_SHARE) this.#forgetAsked();
    this.#asked.add(key);
    this.#askedBytes += bytes;
  }

  #put(key: string, reply: Reply & { readonly text: string }, { fromMs, untilMs }: Steadiness): void {
    const { text } = reply;
    if (text.length > MAX_LENGTH || fromMs >= untilMs) return;
    const isPlain = Buffer.byteLength(text) === text.length;
    const bytes = key.length + (isPlain ? text.length : 2 * text.length) + OBJECT_BYTES;
    if (this.#bytes + bytes > this.#parts.maxBytes * (1 - ASKED_SHARE)) return;
    this.#bytes += bytes;
    this.#kept.set(key, { reply, fromMs, untilMs });
    this.#sweepLater();
  }
}

export const isReply = (found: Reply | OpenQuestion): found is Reply => 'status' in found;

const SWEEP_INTERVAL_MS = 1_000;

/** Longer replies are few, and take long to send however they are made. */
const MAX_LENGTH = 256 * 1024;

/** Of the memory, for which questions were asked. */
const ASKED_SHARE = 1 / 8;

/** An entry of the map, and the objects that hang on it. */
const OBJECT_BYTES = 300;

/** All that tells callers apart. */
const nameOf = (caller: Principal): string => {
  const known = names.get(caller);
  if (known !== undefined) return known;
  const { permissions, allowedScopes, ...plain } = caller;
  const name = JSON.stringify([
    Object.entries(plain).sort(([one], [other]) => (one < other ? -1 : 1)),
    [...permissions].sort(),
    [...allowedScopes].sort(),
  ]);
  names.set(caller, name);
  return name;
};

const names = new WeakMap<Principal, string>();
