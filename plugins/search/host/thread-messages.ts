import type { HashSeed } from '../index/text-hash.ts';
import type { IndexHost, IndexSize } from './index-host.ts';

/** What a thread is begun with. */
export interface ThreadData {
  readonly seed: HashSeed;
}

/** Calls that go to the thread as messages. */
export type DistantCall = Exclude<keyof IndexHost, 'size' | 'lost' | 'close'>;

export interface ThreadRequest {
  readonly number: number;
  readonly call: DistantCall;
  readonly given: readonly unknown[];
}

export type ThreadReply = { readonly number: number; readonly size: IndexSize } & (
  | { readonly result: unknown }
  | { readonly error: unknown }
);
