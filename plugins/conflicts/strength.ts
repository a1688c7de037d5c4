import { compareHlc, type Hlc } from '../../kernel/plugin-api.ts';

/** The members of a fact that decide which of two contradicting facts wins. */
export interface Contender {
  readonly id: string;
  readonly valueKey: string;
  readonly confidence: number;
  readonly hlc: Hlc;
}

/** Orders facts by strength: higher confidence first, then the higher stamp. Returns zero only for an exact tie. */
export const compareStrength = (
  a: Pick<Contender, 'confidence' | 'hlc'>,
  b: Pick<Contender, 'confidence' | 'hlc'>,
): number => {
  return b.confidence - a.confidence || compareHlc(b.hlc, a.hlc);
};

/** Orders equally strong facts by id, because ids are equal on all nodes. */
const compareIds = (a: Contender, b: Contender): number => (a.id < b.id ? -1 : Number(a.id > b.id));

/** Returns the strongest fact with another value; undefined without one. */
export const strongestRival = <T extends Contender>(fact: Contender, others: readonly T[]): T | undefined => {
  let strongest: T | undefined;
  for (const other of others) {
    if (other.valueKey === fact.valueKey) continue;
    if (strongest === undefined || (compareStrength(other, strongest) || compareIds(other, strongest)) < 0) {
      strongest = other;
    }
  }
  return strongest;
};

/** Orders facts by age, newest first. */
export const compareAge = (a: Contender, b: Contender): number =>
  compareHlc(b.hlc, a.hlc) || compareStrength(a, b) || compareIds(a, b);
