import { randomBytes, randomUUID } from 'node:crypto';

/** Chance from the operating system, in the outline that the kernel asks for. */
export const createSystemRandom = () => ({
  uuid: (): string => randomUUID(),
  bytes: (length: number): Uint8Array => new Uint8Array(randomBytes(length)),
  fraction: (): number => Math.random(),
});
