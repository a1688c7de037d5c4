import { defineRef } from './define-ref.ts';

/** An object in an object store, such as a file in a folder or an object in a bucket. */
export interface StoredObject {
  readonly path: string;
  readonly bytes: number;
  /** True for an object that lies sealed in its place. `bytes` is the size of its content all the same. */
  readonly isSealed?: boolean;
}

/** The content of an object before it is written. */
export interface ObjectContent {
  readonly bytes: number;
  /** The SHA-256 of the content in lower-case hexadecimal. A store asks for it after it has read the content. */
  readonly sha256: string;
  /** A text that no other content has, and that is known before the content is read. Default: the digest. */
  readonly tag?: string;
  /** Reads the content from its beginning. May be called several times, and returns the same bytes each time. */
  read(): AsyncIterable<Uint8Array>;
}

export interface ObjectWriteOptions {
  /** Ends the write early. A later write of the same content goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that the store holds so far. Must not throw. */
  readonly onProgress?: (doneBytes: number) => void;
}

export interface ObjectLock {
  /** The end of the lock in milliseconds since the epoch. Null for a lock without an end. */
  readonly untilMs: number | null;
}

/** The result of sealing one data key anew. */
export interface RewrappedSeal {
  /** The folder of the objects. */
  readonly folder: string;
  /**
   * `done`: the present key opens it now. `current`: it did before. `unknown`: no key of the operator opens it.
   * `damaged`: no key will, or a newer version of the program wrote it.
   */
  readonly state: 'done' | 'current' | 'unknown' | 'damaged';
  /** The id of the key that opened it before. Null for a damaged one that names none. */
  readonly keyId: string | null;
  /** The lock that keeps the former seal in its place as well, which the former key opens. Null without one. */
  readonly lock: ObjectLock | null;
}

/**
 * A place for large objects by path, apart from the store of facts. A path that the place has and `isObjectPath`
 * refuses does not exist here. Every method rejects with `unavailable` when the place cannot be reached.
 */
export interface ObjectStore {
  /** The location for people, without credentials. */
  readonly place: string;
  /** Returns the whole objects whose path begins with the prefix, in no order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Returns the paths below the prefix whose write was interrupted. `remove` drops them. */
  unfinished(prefix: string): AsyncIterable<string>;
  /**
   * Writes an object whole or not at all, in place of an existing one. Goes on from where an interrupted write of the
   * same content ended. Rejects with `conflict` when the content does not have its digest, and then keeps nothing.
   */
  write(path: string, content: ObjectContent, options?: ObjectWriteOptions): Promise<void>;
  /** Reads an object from a byte on, which must exist. Rejects with `lookup` when there is none. */
  read(path: string, fromByte?: number): AsyncIterable<Uint8Array>;
  /** Returns the lock that keeps an object from being removed; null without one, and without the object. */
  lockOf(path: string): Promise<ObjectLock | null>;
  /**
   * Removes an object, all its former versions, and what interrupted writes have left. Does nothing when there is none.
   * Rejects with `conflict` for a locked object.
   */
  remove(path: string): Promise<void>;
  /**
   * Optional: removes the former versions of an object, and leaves the present one. Rejects with `conflict` when one of
   * them is locked. Absent on a store that keeps none.
   */
  removeFormer?(path: string): Promise<void>;
  /**
   * Seals the data keys of all objects with the present key of the operator. The objects stay as they are. Present on a
   * store that seals what it writes.
   */
  rewrap?(): AsyncIterable<RewrappedSeal>;
}

/** Opens object stores by their place: `s3://bucket/prefix`, or the path of a folder. */
export interface ObjectStores {
  /**
   * Creates nothing yet. Rejects with `validation` for a place of another form, and never repeats it. With `mustExist`
   * it rejects with `lookup` for a folder that is not there, which otherwise reads as empty until the first write.
   */
  open(place: string, options?: { readonly mustExist?: boolean }): Promise<ObjectStore>;
}

/** The form of a place in a bucket, as the source of a regular expression. It captures the bucket and the prefix. */
export const BUCKET_PLACE = 's3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([A-Za-z0-9_./-]{0,500}))?';

export const ObjectStores = defineRef<ObjectStores>('port.object-stores');

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}$/;

/** Returns whether a path is made of plain names, so that it may become part of another path. */
export const isObjectPath = (path: string): boolean => path.split('/').every((name) => SEGMENT.test(name));
