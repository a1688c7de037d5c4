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

/** The parts that an adapter may use. */
export interface AdapterParts {
  /** For a clock, the system's own, which it may wrap. */
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly fraction: () => number;
  /** Writes a warning to the log of the node. Neither text may hold a secret. */
  readonly report: (message: string, error?: unknown) => void;
}

/** A reason why an adapter cannot work, and a hint for the operator. Never holds a secret. */
export interface AdapterProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * One way to fill a port, as a configuration names it: `"use"` for an adapter of the package, `"from"` for a module
 * that exports one. `S` is the type of its settings, which stand beside `use` or `from`.
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
   * Makes the port, once per node. `settings` are checked, with defaults filled. Throws a `ServiceError` with a hint
   * when they cannot work; errors that need a connection show at the first use of the port.
   */
  create(settings: S, parts: P): T | Promise<T>;
  /** Returns the obstacles to its work, without changing anything: for `plugins doctor`. */
  inspect?(settings: S, use: { readonly processes: number }): Promise<readonly AdapterProblem[]>;
}

/** The location of a store. */
export interface StorePlace {
  /** For people: a path or an address, without user, password and parameters. */
  readonly location: string;
  /** The location as an absolute path. Absent: `location` is one. */
  readonly fullLocation?: string;
  /** Folder for files that belong to the store: the private key of the node, the first API key. */
  readonly dataFolder: string;
}

export interface StoreAdapter<S> extends Adapter<FactStore, S> {
  readonly port: Ref<FactStore>;
  /** Returns the location of the store, without opening it. */
  place(settings: S): StorePlace;
  /** False when opening the store would create it. Absent: opening creates nothing. */
  exists?(settings: S): boolean;
  /**
   * Optional: restores a store from the output of `FactStore.copyInto`. No process may use the store meanwhile: rejects
   * if one does. The restored store takes its place whole or not at all, even if the process ends early.
   */
  restore?(settings: S, request: RestoreRequest): Promise<RestoredPlace>;
  /** Optional: the size of the store, and the free space of its disk, where it can be measured. */
  size?(settings: S): Promise<{ readonly storeBytes: number; readonly freeBytes: number | null }>;
}

export interface TransportAdapter<S> extends Adapter<Transport, S> {
  readonly port: Ref<Transport>;
  /** Host on which it listens: a node without keys starts only on a loopback one, unless a setting allows more. */
  host(settings: S): string;
  /** Whether pages of this origin may call the node. Absent: only the node's own may. */
  allowsOrigin?(settings: S): (origin: string) => boolean;
  /** The same for the node's callers: whether origins are configured, and whether all of localhost may call. */
  crossOrigin?(settings: S): { readonly configured: boolean; readonly devLocalhost: boolean };
}

export interface EmbedderAdapter<S> extends Adapter<Embedder, S, AdapterParts & { readonly transport: Transport }> {
  readonly port: Ref<Embedder>;
}

export interface ClockAdapter<S> extends Adapter<Clock, S> {
  readonly port: Ref<Clock>;
}

/** `inner` is the authorizer of the plugins, which knows the keys of the node; undefined without one. */
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
