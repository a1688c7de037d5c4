import { randomBytes, randomUUID } from 'node:crypto';

/** Creates a source of random values of the operating system, as the kernel's `Random` requires. */
export const createSystemRandom = () => ({
  uuid: (): string => randomUUID(),
  bytes: (length: number): Uint8Array => new Uint8Array(randomBytes(length)),
  fraction: (): number => Math.random(),
});
