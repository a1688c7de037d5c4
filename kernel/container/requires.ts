import type { OptionalRef, Ref } from '../../ports/define-ref.ts';

// biome-ignore lint/suspicious/noExplicitAny: a map of refs of any kind; `Resolved` gives each its type back
export type Requires = Readonly<Record<string, Ref<any> | OptionalRef<any>>>;

/** The services that the refs of `requires` resolve to. */
export type Resolved<R extends Requires> = {
  readonly [K in keyof R]: R[K] extends OptionalRef<infer T> ? T | undefined : R[K] extends Ref<infer T> ? T : never;
};
