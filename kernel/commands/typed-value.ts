import { VALUE_TYPES, type ValueType } from '../../ports/fact.ts';
import { parseInstant } from '../../ports/instant.ts';
import { ServiceError } from '../../ports/service-error.ts';
import { spelledNumber, UNFAITHFUL_NUMBER } from '../text/spelled-number.ts';

/** A value for a request, and whether its type was guessed. */
export interface TypedValue {
  readonly value: { readonly type: ValueType; readonly v: string | number | boolean | null };
  readonly isGuessed: boolean;
}

/** The maximum size of the type `string` in bytes. A longer value, or one with several lines, is a `text`. */
const STRING_BYTES = 16 * 1024;

/**
 * Turns an argument of the command line into a value. Without a type, the type is guessed without loss: the argument is
 * a number only if the number has exactly this spelling. `ref` and `null` are never guessed. Throws `validation` for an
 * argument that is no value of the type.
 */
export const typedValue = (word: string, type: string | undefined): TypedValue => {
  if (type === undefined) return { value: guessed(word), isGuessed: true };
  if (!isValueType(type)) throw refused(`--type must be one of ${VALUE_TYPES.join(', ')}`);
  return { value: { type, v: contentOf(word, type) }, isGuessed: false };
};

const guessed = (word: string): TypedValue['value'] => {
  if (word === 'true' || word === 'false') return { type: 'boolean', v: word === 'true' };
  if (isExactNumber(word)) return { type: 'number', v: Number(word) };
  if (parseInstant(word) !== null) return { type: 'datetime', v: word };
  const isText = /[\r\n]/.test(word) || Buffer.byteLength(word) > STRING_BYTES;
  return { type: isText ? 'text' : 'string', v: word };
};

/**
 * Returns whether a word is the exact spelling of a number. `007`, `1.10` and `1e3` are not, and neither is a number
 * that a double cannot represent.
 */
const isExactNumber = (word: string): boolean => /^-?\d/.test(word) && String(Number(word)) === word;

const contentOf = (word: string, type: ValueType): string | number | boolean | null => {
  switch (type) {
    case 'number': {
      const number = spelledNumber(word.trim());
      if (number === undefined) throw refused('the value is no number', 'write it like 12.5, or choose another --type');
      if (Number.isNaN(number)) throw refused(`the value ${UNFAITHFUL_NUMBER}`, 'choose --type string');
      return number;
    }
    case 'boolean':
      if (word === 'true' || word === 'false') return word === 'true';
      throw refused('a boolean value is true or false', 'choose another --type for other words');
    case 'null':
      if (word === '' || word === 'null') return null;
      throw refused('a value of the type null is the word null', 'choose another --type for other words');
    default:
      return word;
  }
};

const isValueType = (type: string): type is ValueType => (VALUE_TYPES as readonly string[]).includes(type);

const refused = (message: string, hint?: string): ServiceError =>
  new ServiceError('validation', message, hint === undefined ? {} : { hint });
