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

/** Why a written code is not that of a declaration, and what to do. */
export interface CodeFault {
  readonly why: string;
  readonly hint: string;
}

/** Compares a written code, with any characters between its digits. Returns undefined for that of the declaration. */
export const codeFault = (document: DeclarationDocument, written: string): CodeFault | undefined => {
  const digits = written.replaceAll(/\D/g, '');
  if (digits === codeOf(document).replaceAll(' ', '')) return undefined;
  const why = 'it has another code than the one given';
  return digits.length === DIGITS
    ? { why, hint: 'do not trust this file; ask its operator for the code again by voice' }
    : { why: `${why}, which is incomplete`, hint: `a code has ${DIGITS} digits, and ${digits.length} were given` };
};
