import { lastStampOf, parseHlc } from '../../kernel/internal-api.ts';
import { AsOf, type Hlc, memberRefusal, parseInstant, ValidAt } from '../../kernel/plugin-api.ts';
import { defineReadParameter } from '../facts/facts-api.ts';
import { AS_OF_INVALID_TIMESTAMP } from './time-travel-words.ts';

/** Reads a moment. An instant includes everything recorded within its millisecond, and an hlc is the exact stamp. */
export const readAsOf = (input: unknown, path: string): Hlc => {
  const text = String(input);
  const stamp = parseHlc(text);
  if (stamp !== null) return stamp;
  const instantMs = parseInstant(text);
  if (instantMs !== null) return lastStampOf(instantMs);
  throw memberRefusal(path, 'must be an RFC 3339 date-time with offset, or an hlc', AS_OF_INVALID_TIMESTAMP);
};

const readValidAt = (input: unknown, path: string): number => {
  const instantMs = parseInstant(String(input));
  if (instantMs === null) throw memberRefusal(path, 'must be an RFC 3339 date-time with offset', 'bad_parameter');
  return instantMs;
};

export const AS_OF = defineReadParameter<Hlc>('as_of', {
  summary: 'answers as this node would have at this instant, or at this stamp',
  schema: { type: 'string' },
  read: readAsOf,
  note: AsOf,
});

export const VALID_AT = defineReadParameter<number>('valid_at', {
  summary: 'asks for the facts that were valid at this instant, as far as it is known now, or was as of `as_of`',
  schema: { type: 'string' },
  read: readValidAt,
  note: ValidAt,
  listsOnly: true,
});
