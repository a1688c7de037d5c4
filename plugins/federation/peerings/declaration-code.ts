import { createHash } from 'node:crypto';
import { type DeclarationDocument, signedBytes } from './declaration.ts';

/** 25 digits are 83 bits, so that nobody finds another declaration with the same code while the first one is good. */
const GROUPS = 5;
const GROUP_DIGITS = 5;
const DIGITS = GROUPS * GROUP_DIGITS;

/** Returns the digest of a declaration as groups of digits, which two people compare by voice. */
export const codeOf = (document: DeclarationDocument): string => {
  const digest = createHash('sha256').update(signedBytes(document)).digest('hex');
  const digits = String(BigInt(`0x${digest}`) % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
  return Array.from({ length: GROUPS }, (_, at) => digits.slice(at * GROUP_DIGITS, (at + 1) * GROUP_DIGITS)).join(' ');
};

/** Returns whether somebody wrote the code of the declaration, with any characters between its digits. */
export const hasCode = (document: DeclarationDocument, written: string): boolean =>
  written.replaceAll(/\D/g, '') === codeOf(document).replaceAll(' ', '');
