import type { Authorizer } from './authorizer.ts';
import type { Clock } from './clock.ts';
import type { Ref } from './define-ref.ts';
import type { Embedder } from './embedder.ts';
import type { FactStore } from './fact-store.ts';
import type { Schema } from './schema.ts';
import type { RestoredPlace, RestoreRequest } from './store-copy.ts';
import type { Transport } from './transport.ts';

/** Version of this interface. An integer, because a range that nobody tests says nothing. */
export const ADAPTER_API = 1;

/** What an adapter may be made from. */
export interface AdapterParts {
  /** For a clock, the one of the system, which it may wrap. */
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly fraction: () => number;
  /** Writes a warning to the log of the node. Neither text may hold a secret. */
  readonly report: (message: string, error?: unknown) => void;
}

/** Something that keeps an adapter from working, and what the operator can do about it. Never holds a secret. */
export interface AdapterProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * One way to fill a port, as a configuration names it: `"use"` for those of the package, `"from"` for a module that
 * exports one. `S` are its settings, which stand beside `use` or `from`.
 */
export interface Adapter<T, S, P = AdapterParts> {
  /** The ref of the port: `FactStore`, `Transport`, `Embedder`, `Clock` or `Authorizer`. */
  readonly port: Ref<T>;
  /** kebab-case. */
  readonly name: string;
  readonly adapterApi: typeof ADAPTER_API;
  /** An object schema, with `env` on properties that a variable sets; without one the adapter takes no settings. */
  readonly settings?: Schema<S>;
  /**
   * Makes the port, once a node. `settings` are checked, with defaults filled. Throws a `ServiceError` with a hint
   * when they cannot work; what can only be found by connecting is found by the first use of the port.
   */
  create(settings: S, parts: P): T | Promise<T>;
  /** What would keep it from working, without changing anything: for `plugins doctor`. */
  inspect?(settings: S, use: { readonly processes: number }): Promise<readonly AdapterProblem[]>;
}

/** Where a store is. */
export interface StorePlace {
  /** For people: a path or an address, without user, password and parameters. */
  readonly location: string;
  /** The same whatever folder the reader stands in. Absent: it is the same. */
  readonly fullLocation?: string;
  /** Folder for files that belong to the store: the private key of the node, the first API key. */
  readonly dataFolder: string;
}

export interface StoreAdapter<S> extends Adapter<FactStore, S> {
  readonly port: Ref<FactStore>;
  /** Says where the store is, without opening it. */
  place(settings: S): StorePlace;
  /** False where opening the store would create it. Absent: opening creates nothing. */
  exists?(settings: S): boolean;
  /**
   * Optional: brings a store back from what `FactStore.copyInto` has written. No process may use the store meanwhile:
   * rejects where one does. The restored store comes into its place whole or not at all, also when the
   * process ends early.
   */
  restore?(settings: S, request: RestoreRequest): Promise<RestoredPlace>;
  /** Optional: how much the store has, and how much its disk has room for, where that can be told. */
  size?(settings: S): Promise<{ readonly storeBytes: number; readonly freeBytes: number | null }>;
}

export interface TransportAdapter<S> extends Adapter<Transport, S> {
  readonly port: Ref<Transport>;
  /** Host on which it listens: a node that needs no keys starts only on a loopback one, unless it is told to. */
  host(settings: S): string;
  /** Whether pages of this origin may call the node. Absent: those of the node alone. */
  allowsOrigin?(settings: S): (origin: string) => boolean;
  /** What the node tells its callers about that: whether origins are named, and whether all of localhost may call. */
  crossOrigin?(settings: S): { readonly configured: boolean; readonly devLocalhost: boolean };
}

export interface EmbedderAdapter<S> extends Adapter<Embedder, S, AdapterParts & { readonly transport: Transport }> {
  readonly port: Ref<Embedder>;
}

export interface ClockAdapter<S> extends Adapter<Clock, S> {
  readonly port: Ref<Clock>;
}

/** `inner` is what the plugins provide, and undefined where none does: it knows the keys of the node. */
export interface AuthorizerAdapter<S>
  extends Adapter<Authorizer, S, AdapterParts & { readonly inner: Authorizer | undefined }> {
  readonly port: Ref<Authorizer>;
}

export const defineStore = <S = undefined>(adapter: StoreAdapter<S>): StoreAdapter<S> => Object.freeze(adapter);
export const defineTransport = <S = undefined>(adapter: TransportAdapter<S>): TransportAdapter<S> =>
  Object.freeze(adapter);
export const defineEmbedder = <S = undefined>(adapter: EmbedderAdapter<S>): EmbedderAdapter<S> =>
  Object.freeze(adapter);
export const defineClock = <S = undefined>(adapter: ClockAdapter<S>): ClockAdapter<S> => Object.freeze(adapter);
export const defineAuthorizer = <S = undefined>(adapter: AuthorizerAdapter<S>): AuthorizerAdapter<S> =>
  Object.freeze(adapter);
