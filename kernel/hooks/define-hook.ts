/**
 * Hooks are the soft coupling between plugins: a hook that nobody handles is silent. Its kind fixes what a return and a
 * throw mean.
 */
declare const value: unique symbol;
declare const context: unique symbol;

/**
 * A hook whose handlers run one after another. A returned value replaces the previous one, and returning nothing
 * preserves it. A throw aborts.
 */
export interface FilterHook<V, C = undefined> {
  readonly kind: 'filter';
  readonly id: string;
  readonly [value]?: (v: V) => V;
  readonly [context]?: (c: C) => C;
}

/** A hook whose handlers run one after another, and whose results are collected. A throw aborts. */
export interface CollectHook<I, O> {
  readonly kind: 'collect';
  readonly id: string;
  readonly [value]?: (o: O) => O;
  readonly [context]?: (i: I) => I;
}

/**
 * A hook whose handlers run in parallel, after the event. Results are ignored. A throw is logged with plugin and hook,
 * and affects nothing else.
 */
export interface EventHook<E> {
  readonly kind: 'event';
  readonly id: string;
  readonly [value]?: (e: E) => E;
}

/** Declares a filter hook. `id` is `noun:verb`. */
export const defineFilterHook = <V, C = undefined>(id: string): FilterHook<V, C> =>
  Object.freeze({ kind: 'filter', id });
export const defineCollectHook = <I, O>(id: string): CollectHook<I, O> => Object.freeze({ kind: 'collect', id });
export const defineEventHook = <E>(id: string): EventHook<E> => Object.freeze({ kind: 'event', id });

type Maybe<T> = T | undefined | void | Promise<T | undefined | void>;

export interface HandlerOptions {
  /** Runs the handler before or after those of all other plugins. Default: in the order of the plugins. */
  readonly order?: 'first' | 'last';
  /**
   * Only for handlers of `read:constrain` and `read:annotate`; registration refuses it elsewhere. Declares that the
   * results depend only on store, caller and query. They may change with time, at the instants that the plugin's
   * handler of `read:next-change` returns. A plugin whose own memory of the store changes calls `Facts.answersChanged`.
   * If any handler lacks this, no answer is cached.
   */
  readonly cacheable?: boolean;
}

/** Registers a handler. Available only during `setup`. */
export interface On {
  <V, C>(hook: FilterHook<V, C>, handler: (value: V, context: C) => Maybe<V>, options?: HandlerOptions): void;
  <I, O>(hook: CollectHook<I, O>, handler: (input: I) => Maybe<O>, options?: HandlerOptions): void;
  <E>(hook: EventHook<E>, handler: (event: E) => void | Promise<void>, options?: HandlerOptions): void;
}

/** Calls hooks. The kernel calls its own; a plugin calls those it declares in its `<name>-api.ts`. */
export interface HookCaller {
  filter<V, C>(hook: FilterHook<V, C>, value: V, context: C): Promise<V>;
  /** Returns the results in handler order, without the `undefined` ones. */
  collect<I, O>(hook: CollectHook<I, O>, input: I): Promise<O[]>;
  /** Resolves when every handler has finished; never rejects. */
  emit<E>(hook: EventHook<E>, event: E): Promise<void>;
  /** Returns whether a hook has handlers, so that a hot path can skip building an input. */
  hasHandlers(hook: { readonly id: string }): boolean;
  /** Returns whether every handler of the hook declares its results cacheable; true without handlers. */
  isCacheable(hook: { readonly id: string }): boolean;
}
