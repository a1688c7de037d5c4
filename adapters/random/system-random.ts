import { randomBytes, randomUUID } from 'node:crypto';

/** Random values of the operating system, in the outline of the kernel. */
export const createSystemRandom = () => ({
  uuid: (): string => randomUUID(),
  bytes: (length: number): Uint8Array => new Uint8Array(randomBytes(length)),
  fraction: (): number => Math.random(),
});
