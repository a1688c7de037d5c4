import { defineRef } from '../../ports/ports.ts';

/** The single source of randomness, which tests can replay. */
export interface Random {
  /** Returns a UUID of version 4 in lower case. */
  uuid(): string;
  /** Returns `length` unpredictable bytes. */
  bytes(length: number): Uint8Array;
  /** Returns a uniform random number in [0, 1), for jitter and sampling but not for secrets. */
  fraction(): number;
}

export const Random = defineRef<Random>('kernel.random');
