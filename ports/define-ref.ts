/**
 * Refs are the only way one part of the node reaches another. A ref is a value, so the compiler checks every use and
 * `get(ref)` is typed without a string at the call site.
 */
declare const carries: unique symbol;

/** A typed token for a port or a plugin service. Refs with equal ids are the same. */
export interface Ref<T> {
  readonly id: string;
  readonly [carries]?: (value: T) => T;
}

/** A ref that resolves to `undefined` when it has no provider. */
export interface OptionalRef<T> {
  readonly optional: Ref<T>;
}

/** Declares a ref. `id` is `noun.service`, for example `jobs.queue`. */
export const defineRef = <T>(id: string): Ref<T> => Object.freeze({ id });

/** Marks a requirement as optional: `requires: { jobs: optional(JobQueue) }`. */
export const optional = <T>(ref: Ref<T>): OptionalRef<T> => Object.freeze({ optional: ref });
