import { type Clock, ServiceError } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import type { CollectHook, EventHook, FilterHook, HandlerOptions, HookCaller } from './define-hook.ts';
import { nodeGreeting } from './node-hooks.ts';
import { type HandlerCall, UnfinishedHandlers } from './unfinished-handlers.ts';

/** The milliseconds after which a handler is logged as slow, because it blocks a request or the write transaction. */
export const SLOW_HANDLER_MS = 100;
/**
 * Hooks that run before the node serves, when slow handlers delay no request. A greeting generates keys and writes
 * files.
 */
const UNHURRIED: ReadonlySet<string> = new Set([nodeGreeting.id]);

type HookToken = { readonly id: string; readonly kind: 'filter' | 'collect' | 'event' };
type Order = 'first' | 'normal' | 'last';
type Run = (input: unknown, context?: unknown) => unknown;

interface Handler {
  readonly plugin: string;
  readonly order: Order;
  readonly cacheable: boolean;
  readonly run: Run;
}

/** A hook with its handlers, in the order in which they run. */
export interface HookDescription {
  readonly hook: string;
  readonly kind: HookToken['kind'];
  readonly handlers: readonly { readonly plugin: string; readonly order: Order }[];
}

const RANK: Readonly<Record<Order, number>> = { first: 0, normal: 1, last: 2 };

/**
 * The hooks of one node. Handlers run in the order in which their plugins were set up, those marked `first` before and
 * those marked `last` after all others. A hook without handlers costs one lookup.
 */
export class HookBus implements HookCaller {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #onSlow: ((plugin: string, hook: string) => void) | undefined;
  readonly #cacheable: ReadonlySet<string>;
  readonly #hooks = new Map<string, { kind: HookToken['kind']; handlers: Handler[] }>();
  readonly #unfinished: UnfinishedHandlers;
  #sealed = false;

  constructor(parts: {
    readonly clock: Clock;
    readonly log: Logger;
    /** Called for each handler that took longer than `SLOW_HANDLER_MS`. */
    onSlow?(plugin: string, hook: string): void;
    /** The only hooks whose handlers may be declared cacheable. */
    readonly cacheable?: readonly HookToken[];
  }) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#unfinished = new UnfinishedHandlers(parts.clock, parts.log);
    this.#onSlow = parts.onSlow;
    this.#cacheable = new Set(parts.cacheable?.map(({ id }) => id));
  }

  /**
   * Adds a handler on behalf of a plugin. Throws once the bus is sealed, and when two plugins disagree on a hook's
   * kind.
   */
  register(plugin: string, hook: HookToken, run: Run, options: HandlerOptions = {}): void {
    if (!isHook(hook)) throw new Error(`${plugin} handles something that is not a hook: import hooks or define them`);
    if (typeof run !== 'function') throw new Error(`${plugin} handles ${hook.id} with something other than a function`);
    if (this.#sealed) throw new Error(`the hooks are sealed: ${plugin} may handle ${hook.id} only during its setup`);
    const entry = this.#hooks.get(hook.id) ?? { kind: hook.kind, handlers: [] };
    if (entry.kind !== hook.kind)
      throw new Error(`${hook.id} is a ${entry.kind} hook, ${plugin} takes it for a ${hook.kind}`);
    const { order = 'normal', cacheable = false } = options;
    if (cacheable && !this.#cacheable.has(hook.id))
      throw new Error(`${plugin} declares ${hook.id} cacheable: it is no read`);
    const handler: Handler = { plugin, order, cacheable, run };
    // The sort is stable, so handlers of one rank keep the order of their plugins.
    entry.handlers = [...entry.handlers, handler].sort((a, b) => RANK[a.order] - RANK[b.order]);
    this.#hooks.set(hook.id, entry);
  }

  /** Returns the view of the bus for plugins, which can call hooks but not register handlers for another plugin. */
  asCaller(): HookCaller {
    return {
      filter: (hook, value, context) => this.filter(hook, value, context),
      collect: (hook, input) => this.collect(hook, input),
      emit: (hook, event) => this.emit(hook, event),
      hasHandlers: (hook) => this.hasHandlers(hook),
      isCacheable: (hook) => this.isCacheable(hook),
    };
  }

  /** Prevents further registrations. */
  seal(): void {
    this.#sealed = true;
  }

  hasHandlers(hook: { readonly id: string }): boolean {
    return this.#hooks.has(hook.id);
  }

  isCacheable(hook: { readonly id: string }): boolean {
    return this.#handlersOf(hook).every(({ cacheable }) => cacheable);
  }

  async filter<V, C>(hook: FilterHook<V, C>, value: V, context: C): Promise<V> {
    let current = value;
    let sinceMs = this.#clock.monotonicMs();
    for (const handler of this.#handlersOf(hook)) {
      let call: HandlerCall | undefined;
      try {
        const answer = handler.run(current, context);
        call = this.#begin(handler, hook.id, sinceMs, answer);
        const result = call === undefined ? answer : await answer;
        if (result !== undefined) current = result as V;
      } catch (error) {
        throw attributeError(error, handler.plugin, hook.id);
      } finally {
        this.#unfinished.end(call);
        sinceMs = this.#watch(handler, hook.id, sinceMs);
      }
    }
    return current;
  }

  async collect<I, O>(hook: CollectHook<I, O>, input: I): Promise<O[]> {
    const results: O[] = [];
    let sinceMs = this.#clock.monotonicMs();
    for (const handler of this.#handlersOf(hook)) {
      let call: HandlerCall | undefined;
      try {
        const answer = handler.run(input);
        call = this.#begin(handler, hook.id, sinceMs, answer);
        // Awaits only promises, so that synchronous handlers cost no turn of the event loop.
        const result = call === undefined ? answer : await answer;
        if (result !== undefined) results.push(result as O);
      } catch (error) {
        throw attributeError(error, handler.plugin, hook.id);
      } finally {
        this.#unfinished.end(call);
        sinceMs = this.#watch(handler, hook.id, sinceMs);
      }
    }
    return results;
  }

  async emit<E>(hook: EventHook<E>, event: E): Promise<void> {
    await Promise.all(this.#handlersOf(hook).map((handler) => this.#notify(handler, hook.id, event)));
  }

  /** Describes every hook with handlers, by id. */
  describe(): HookDescription[] {
    return [...this.#hooks]
      .map(([hook, { kind, handlers }]) => ({
        hook,
        kind,
        handlers: handlers.map(({ plugin, order }) => ({ plugin, order })),
      }))
      .sort((a, b) => (a.hook < b.hook ? -1 : 1));
  }

  /** Handlers that never finish are no longer logged. */
  close(): void {
    this.#unfinished.close();
  }

  #handlersOf(hook: { readonly id: string }): readonly Handler[] {
    return this.#hooks.get(hook.id)?.handlers ?? [];
  }

  #begin(handler: Handler, hook: string, sinceMs: number, answer: unknown): HandlerCall | undefined {
    return isPromiseLike(answer) ? this.#unfinished.begin(handler.plugin, hook, sinceMs) : undefined;
  }

  /** Logs a handler that took long. `sinceMs` is its start; returns the current time, for the next handler. */
  #watch(handler: Handler, hook: string, sinceMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const tookMs = nowMs - sinceMs;
    if (tookMs <= SLOW_HANDLER_MS || UNHURRIED.has(hook)) return nowMs;
    this.#onSlow?.(handler.plugin, hook);
    this.#log.warn('a hook handler is slow', { plugin: handler.plugin, hook, tookMs });
    return nowMs;
  }

  async #notify(handler: Handler, hook: string, event: unknown): Promise<void> {
    const sinceMs = this.#clock.monotonicMs();
    let call: HandlerCall | undefined;
    try {
      const answer = handler.run(event);
      call = this.#begin(handler, hook, sinceMs, answer);
      await answer;
    } catch (error) {
      const attributed = attributeError(error, handler.plugin, hook);
      this.#log.error('an event handler failed', { plugin: handler.plugin, hook, error: attributed });
    } finally {
      this.#unfinished.end(call);
      this.#watch(handler, hook, sinceMs);
    }
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/**
 * Adds the name of the plugin to an error of its handler. Operating errors stay unchanged, because they are answers.
 * The innermost hook wins.
 */
const attributeError = (error: unknown, plugin: string, hook: string): unknown => {
  if (error instanceof ServiceError) return error;
  const isOpen = error instanceof Error && Object.isExtensible(error);
  const attributed = isOpen ? error : new Error(`a handler of ${plugin} failed in ${hook}`, { cause: error });
  return 'plugin' in attributed ? attributed : Object.assign(attributed, { plugin, hook });
};

/** A foreign plugin in JavaScript may hand over anything, and a handler of no hook would never run. */
const isHook = (value: unknown): value is HookToken =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<HookToken>).id === 'string' &&
  'kind' in value;
