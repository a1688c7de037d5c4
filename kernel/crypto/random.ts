import { defineRef } from '../../ports/ports.ts';

/** The only source of randomness, so that a test can replay it. */
export interface Random {
  /** UUID version 4, lower case. */
  uuid(): string;
  /** `length` unpredictable bytes. */
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1): for jitter and sampling, never for secrets. */
  fraction(): number;
}

export const Random = defineRef<Random>('kernel.random');
