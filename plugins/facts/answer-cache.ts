import type { Clock, Facts, Principal, Reply } from '../../kernel/plugin-api.ts';

export interface AnswerCacheParts {
  readonly facts: Pick<Facts, 'version'>;
  readonly clock: Clock;
  /** The maximum size of all cached replies in bytes; 0 turns the cache off. */
  readonly maxBytes: number;
}

/** The time span in which a cached reply stays valid, as long as no commit changes `Facts.version`. */
export interface AnswerLifetime {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface CachedReply extends AnswerLifetime {
  readonly reply: Reply;
}

/** A question that has no cached reply yet; `cache` stores its reply. */
export interface OpenQuestion {
  /** True if a caller has asked the same question since the last commit. Only repeated questions are worth caching. */
  readonly isRepeated: boolean;
  cache(reply: Reply & { readonly text: string }, lifetime: AnswerLifetime): void;
}

/**
 * Caches replies until the next commit to the store. Before each use it checks whether any process has committed, and
 * if so clears the cache. So a cached reply equals a new one, and contains nothing that was erased. A full cache
 * accepts no more replies, so that a crawler cannot evict popular ones. The set of questions seen once has its own
 * memory limit, and is cleared when it is full.
 */
export class AnswerCache {
  readonly #parts: AnswerCacheParts;
  readonly #cache = new Map<string, CachedReply>();
  #bytes = 0;
  /** The questions that callers have asked since the last commit. */
  readonly #questions = new Set<string>();
  #questionBytes = 0;
  #version: string | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(parts: AnswerCacheParts) {
    this.#parts = parts;
  }

  /**
   * Returns the cached reply to this caller's question. Without one, returns an `OpenQuestion`; returns undefined while
   * caching is off.
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
        // Caches the answer only if no commit came between reading the version and the answer's snapshot.
        if (this.#isCurrent() && this.#version === version) this.#put(key, reply, lifetime);
      },
    };
  }

  /** Clears the cache. May be called repeatedly. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#clear();
  }

  /** Clears outdated replies even while no question arrives, so that erased text does not stay in memory. */
  #sweep(): void {
    this.#cancelSweep = undefined;
    this.#isCurrent();
    if (this.#cache.size > 0) this.#sweepLater();
  }

  /** Schedules a sweep only while the cache holds something, so that an idle node does nothing. */
  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.clock.schedule(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #clear(): void {
    this.#cache.clear();
    this.#bytes = 0;
    this.#forgetQuestions();
  }

  /** Clears the cache if there was a commit. Returns false if the store cannot tell its version. */
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

/** The maximum length of a cached reply. Longer replies are rare, and sending them takes longer than building them. */
const MAX_LENGTH = 256 * 1024;

/** The share of the memory that the set of questions may use. */
const QUESTION_SHARE = 1 / 8;

/** The estimated size in bytes of a map entry with its objects. */
const OBJECT_BYTES = 300;

/** Returns a text that differs between callers who may get different replies. */
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
