import { defineRef } from '../../ports/ports.ts';

/** The only source of chance, so that a test can replay one. */
export interface Random {
  /** UUID version 4, lower case. */
  uuid(): string;
  /** `length` unpredictable bytes. */
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1): jitter and sampling, never secrets. */
  fraction(): number;
}

export const Random = defineRef<Random>('kernel.random');
