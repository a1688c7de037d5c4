import { isFaithfulNumber } from './faithful-number.ts';

/** The message about a number that a double cannot represent, the same for every input. */
export const UNFAITHFUL_NUMBER = 'must be a number that a double can hold; text holds any other number';

/**
 * Reads decimal text as a number. Returns undefined for text that is no number, and NaN for a number that a double
 * cannot hold: see `isFaithfulNumber`.
 */
export const spelledNumber = (word: string): number | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = DECIMAL.exec(word) ?? [];
  if (whole === '' && fraction === '') return undefined;
  const literal = `${whole || '0'}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
  if (!isFaithfulNumber(literal)) return Number.NaN;
  return sign === '-' ? -Number(literal) : Number(literal);
};

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(e[+-]?\d+)?$/i;
