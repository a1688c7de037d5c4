import type { Clock, Facts, Principal, Reply } from '../../kernel/plugin-api.ts';

export interface AnswerCacheParts {
  readonly facts: Pick<Facts, 'version'>;
  readonly clock: Clock;
  /** Memory for cached replies; 0 turns the cache off. */
  readonly maxBytes: number;
}

/** The span in which a question has the same answer while `Facts.version` stays the same. */
export interface AnswerLifetime {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface CachedReply extends AnswerLifetime {
  readonly reply: Reply;
}

/** A question without a cached reply, and a way to cache one. */
export interface OpenQuestion {
  /** True if it was asked before since the last commit. Only repeated questions are worth caching. */
  readonly isRepeated: boolean;
  cache(reply: Reply & { readonly text: string }, lifetime: AnswerLifetime): void;
}

/**
 * Caches replies since the last commit to the store. Each use asks the store whether any process has committed since,
 * and if so drops all of them. So a cached reply equals a new one, and holds nothing that was erased.
 * When full, the cache adds nothing more, so that a crawler cannot evict popular answers. The set of questions asked
 * once has its own share of memory, and restarts when that is full.
 */
export class AnswerCache {
  readonly #parts: AnswerCacheParts;
  readonly #cache = new Map<string, CachedReply>();
  #bytes = 0;
  /** Questions since the last commit. */
  readonly #questions = new Set<string>();
  #questionBytes = 0;
  #version: string | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(parts: AnswerCacheParts) {
    this.#parts = parts;
  }

  /**
   * Returns the cached reply to this caller's question, or the open question. Returns undefined while caching is off.
   */
  find(caller: Principal, question: object): Reply | OpenQuestion | undefined {
    if (this.#parts.maxBytes === 0 || !this.#isCurrent()) return undefined;
    const key = `${nameOf(caller)} ${JSON.stringify(question)}`;
    const cached = this.#cache.get(key);
    const nowMs = this.#parts.clock.nowMs();
    if (cached !== undefined && cached.fromMs <= nowMs && nowMs < cached.untilMs) return cached.reply;
    const isRepeated = cached !== undefined || this.#questions.has(key);
    if (!isRepeated) this.#remember(key);
    const version = this.#version;
    return {
      isRepeated,
      cache: (reply, lifetime) => {
        // The answer's snapshot is later than the version. If a commit came between, the answer cannot be cached.
        if (this.#isCurrent() && this.#version === version) this.#put(key, reply, lifetime);
      },
    };
  }

  /** Drops everything. Idempotent. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#clear();
  }

  /** Drops outdated replies while no question arrives, so that erased text does not stay in memory. */
  #sweep(): void {
    this.#cancelSweep = undefined;
    this.#isCurrent();
    if (this.#cache.size > 0) this.#sweepLater();
  }

  /** Scheduled only while something is cached, so that an idle node does nothing. */
  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.clock.schedule(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #clear(): void {
    this.#cache.clear();
    this.#bytes = 0;
    this.#forgetQuestions();
  }

  /** Drops the cached replies after a commit. Returns false while the store cannot tell its version. */
  #isCurrent(): boolean {
    const version = this.#parts.facts.version();
    if (version === undefined || version !== this.#version) {
      this.#clear();
      this.#version = version;
    }
    return version !== undefined;
  }

  #forgetQuestions(): void {
    this.#questions.clear();
    this.#questionBytes = 0;
  }

  #remember(key: string): void {
    const bytes = key.length + OBJECT_BYTES;
    if (this.#questionBytes + bytes > this.#parts.maxBytes * QUESTION_SHARE) this.#forgetQuestions();
    this.#questions.add(key);
    this.#questionBytes += bytes;
  }

  #put(key: string, reply: Reply & { readonly text: string }, { fromMs, untilMs }: AnswerLifetime): void {
    const { text } = reply;
    if (text.length > MAX_LENGTH || fromMs >= untilMs) return;
    const isPlain = Buffer.byteLength(text) === text.length;
    const bytes = key.length + (isPlain ? text.length : 2 * text.length) + OBJECT_BYTES;
    if (this.#bytes + bytes > this.#parts.maxBytes * (1 - QUESTION_SHARE)) return;
    this.#bytes += bytes;
    this.#cache.set(key, { reply, fromMs, untilMs });
    this.#sweepLater();
  }
}

export const isReply = (found: Reply | OpenQuestion): found is Reply => 'status' in found;

const SWEEP_INTERVAL_MS = 1_000;

/** Longer replies are rare, and sending them dominates their cost. */
const MAX_LENGTH = 256 * 1024;

/** Share of the memory for the set of questions. */
const QUESTION_SHARE = 1 / 8;

/** Estimated size of a map entry with its objects. */
const OBJECT_BYTES = 300;

/** Everything that distinguishes callers. */
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
