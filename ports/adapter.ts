import type { Authorizer } from './authorizer.ts';
import type { Clock } from './clock.ts';
import type { ContentSeal } from './content-seal.ts';
import type { Ref } from './define-ref.ts';
import type { Embedder } from './embedder.ts';
import type { FactStore } from './fact-store.ts';
import type { KeySource } from './key-source.ts';
import type { Schema } from './schema.ts';
import type { AssembledStore, AssembleRequest, RestoredPlace, RestoreRequest } from './store-copy.ts';
import type { Transport } from './transport.ts';

/** The version of the adapter interface. It is an integer, because nobody tests all versions of a range. */
export const ADAPTER_API = 1;

/** The services that an adapter may use. */
export interface AdapterParts {
  /** The clock of the node. A clock adapter gets the system's own, which it may wrap. */
  readonly clock: Clock;
  /** Returns a uniform random number in [0, 1). */
  readonly fraction: () => number;
  /** Writes a warning to the log of the node. Neither the message nor the error may hold a secret. */
  readonly report: (message: string, error?: unknown) => void;
}

/** A reason why an adapter cannot work, with advice for the operator. Never contains a secret. */
export interface AdapterProblem {
  readonly message: string;
  readonly hint?: string | undefined;
  /** True if the port works all the same, but not as configured. */
  readonly isWarning?: boolean;
}

/**
 * An implementation of a port. A configuration names it by `"use"` for an adapter of the package, or by `"from"` for a
 * module that exports one. `S` is the type of its settings, which are members of the same object as `use` or `from`.
 */
export interface Adapter<T, S, P = AdapterParts> {
  /** The ref of the port: `FactStore`, `Transport`, `Embedder`, `Clock`, `Authorizer` or `KeySource`. */
  readonly port: Ref<T>;
  /** The kebab-case name of the adapter. */
  readonly name: string;
  readonly adapterApi: typeof ADAPTER_API;
  /**
   * The object schema of the settings, with `env` on properties that a variable sets; without one the adapter has no
   * settings.
   */
  readonly settings?: Schema<S>;
  /**
   * Creates the port, once per node. `settings` are checked, with defaults filled in. Throws a `ServiceError` with a
   * hint when they cannot work; errors that need a connection appear at the first use of the port.
   */
  create(settings: S, parts: P): T | Promise<T>;
  /** Returns obstacles to the adapter's work, for `plugins doctor`. Read-only. */
  inspect?(settings: S, use: { readonly processes: number }): Promise<readonly AdapterProblem[]>;
}

/** The location of a store. */
export interface StorePlace {
  /** The location for people: a path or an address, without user, password and parameters. */
  readonly location: string;
  /** The location as an absolute path. Default: `location` is absolute. */
  readonly fullLocation?: string;
  /** The folder for files that belong to the store: the private key of the node, the first API key. */
  readonly dataFolder: string;
}

/** The services that a store may use. */
export interface StoreParts extends AdapterParts {
  /** The number of processes of this node that open the store. */
  readonly processes: number;
  /** The memory in bytes that caches of the store may take in this process; 0 turns them off. */
  readonly cacheBytes: number;
  /** Seals what facts say before the store writes it. Absent on a node whose store is clear. */
  readonly seal?: ContentSeal | undefined;
}

export interface StoreAdapter<S> extends Adapter<FactStore, S, StoreParts> {
  readonly port: Ref<FactStore>;
  /** True for a store that seals contents by `StoreParts.seal`. A node with a seal opens no other. */
  readonly takesSeal?: boolean;
  /** Returns the location of the store, without opening it. */
  place(settings: S): StorePlace;
  /** Returns false when opening the store would create or fill it. Absent: opening creates nothing. */
  exists?(settings: S): boolean;
  /**
   * Optional: restores a store from the output of `FactStore.copyInto`. No process may use the store meanwhile: rejects
   * if one does. The restored store replaces the old one completely or not at all, even if the process ends early.
   */
  restore?(settings: S, request: RestoreRequest): Promise<RestoredPlace>;
  /**
   * Optional: puts a store together from the files of `FactStore.recordChanges`. Rejects with `validation` for a file
   * that is missing, has changed or is of another chain.
   */
  assemble?(request: AssembleRequest): Promise<AssembledStore>;
  /** Optional: rejects while any process uses the store. Creates nothing. */
  requireUnused?(settings: S): Promise<void>;
  /**
   * Optional: runs `work` with the settings of an empty throw-away store of the same kind. Its files lie in the given
   * folder, which the caller removes. Removes everything else afterwards, and what killed processes have left. Rejects
   * with `unavailable` where none can be made.
   */
  withSpare?<T>(settings: S, folder: string, work: (settings: S) => Promise<T>): Promise<T>;
  /** Optional: returns the size of the store, and the free space of its disk, where they can be measured. */
  size?(settings: S): Promise<{ readonly storeBytes: number; readonly freeBytes: number | null }>;
}

export interface TransportAdapter<S> extends Adapter<Transport, S> {
  readonly port: Ref<Transport>;
  /**
   * Returns the host to listen on. A node without keys starts only on a loopback host, unless a setting allows more.
   */
  host(settings: S): string;
  /** Returns a check whether pages of an origin may call the node. Absent: only the node's own pages may. */
  allowsOrigin?(settings: S): (origin: string) => boolean;
  /** Returns whether the operator has configured origins, and whether all pages of localhost may call. */
  crossOrigin?(settings: S): { readonly configured: boolean; readonly devLocalhost: boolean };
}

export interface EmbedderAdapter<S> extends Adapter<Embedder, S, AdapterParts & { readonly transport: Transport }> {
  readonly port: Ref<Embedder>;
}

export interface ClockAdapter<S> extends Adapter<Clock, S> {
  readonly port: Ref<Clock>;
}

/**
 * An adapter that replaces the plugins' authorizer. It gets that authorizer, which knows the keys of the node, as
 * `inner`; undefined if no plugin provides one.
 */
export interface AuthorizerAdapter<S>
  extends Adapter<Authorizer, S, AdapterParts & { readonly inner: Authorizer | undefined }> {
  readonly port: Ref<Authorizer>;
}

export interface KeySourceAdapter<S> extends Adapter<KeySource, S> {
  readonly port: Ref<KeySource>;
}

export const defineStore = <S = undefined>(adapter: StoreAdapter<S>): StoreAdapter<S> => Object.freeze(adapter);
export const defineTransport = <S = undefined>(adapter: TransportAdapter<S>): TransportAdapter<S> =>
  Object.freeze(adapter);
export const defineEmbedder = <S = undefined>(adapter: EmbedderAdapter<S>): EmbedderAdapter<S> =>
  Object.freeze(adapter);
export const defineClock = <S = undefined>(adapter: ClockAdapter<S>): ClockAdapter<S> => Object.freeze(adapter);
export const defineAuthorizer = <S = undefined>(adapter: AuthorizerAdapter<S>): AuthorizerAdapter<S> =>
  Object.freeze(adapter);
export const defineKeySource = <S = undefined>(adapter: KeySourceAdapter<S>): KeySourceAdapter<S> =>
  Object.freeze(adapter);
