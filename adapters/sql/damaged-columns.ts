import { parseInstant, SCOPES, type SqlValue, VALUE_TYPES } from '../../ports/ports.ts';

/** The check of a stored value, and the neutral value that replaces an invalid one. */
export interface ColumnRule {
  readonly column: string;
  readonly isSound: (stored: SqlValue) => boolean;
  readonly neutral: SqlValue;
}

type RuleOf = Omit<ColumnRule, 'column'>;

const text: RuleOf = { isSound: (stored) => typeof stored === 'string', neutral: '' };
const number: RuleOf = { isSound: (stored) => typeof stored === 'number' && Number.isFinite(stored), neutral: 0 };

const orNull = ({ isSound }: RuleOf): RuleOf => ({
  isSound: (stored) => stored === null || isSound(stored),
  neutral: null,
});

const textIn = (words: readonly string[], neutral: string): RuleOf => ({
  isSound: (stored) => words.includes(stored as string),
  neutral,
});

const textLike = (form: RegExp): RuleOf => ({
  isSound: (stored) => typeof stored === 'string' && form.test(stored),
  neutral: null,
});

const CONTENT_ID = /^sha256:[0-9a-f]{64}$/;

const list: RuleOf = {
  isSound: (stored) => typeof stored === 'string' && contentIdsIn(stored) !== undefined,
  neutral: null,
};

const instant: RuleOf = {
  isSound: (stored) => typeof stored === 'string' && parseInstant(stored) !== null,
  neutral: null,
};

const names: RuleOf = {
  isSound: (stored) => typeof stored === 'string' && textsIn(stored) !== undefined,
  neutral: null,
};

const STAMP = /^\d{1,15}\.\d{1,10}$/;

/** An empty text stands for an instant without a text. */
const bound = orNull({ isSound: (stored) => stored === '' || instant.isSound(stored), neutral: null });

/** Rules for columns with more than a type. The narrowest scope is the neutral one. */
const RULES: Readonly<Record<string, RuleOf>> = {
  scope: textIn(SCOPES, 'local'),
  interpret_as: textIn(['content', 'instruction'], 'content'),
  value_type: textIn(VALUE_TYPES, 'null'),
  timestamp: orNull(instant),
  valid_from: bound,
  valid_until: bound,
  hlc_text: orNull(textLike(STAMP)),
  derived_from: orNull(list),
  replaces: orNull(names),
  timestamp_ms: number,
  valid_from_ms: orNull(number),
  valid_until_ms: orNull(number),
  confidence: { isSound: (stored) => typeof stored === 'number' && stored >= 0 && stored <= 1, neutral: 0 },
  system: number,
  attested: orNull(number),
  hlc_wall: number,
  hlc_ctr: number,
  feed_wall: number,
  feed_ctr: number,
  ...Object.fromEntries(
    ['id', 'tenant_id', 'entity_key', 'relation_key', 'value_key', 'source_key'].map((column) => [column, text]),
  ),
};

/** Returns the rules for these columns. All others are texts or null. */
export const rulesFor = (columns: readonly string[]): readonly ColumnRule[] =>
  columns.map((column) => ({ column, ...(RULES[column] ?? orNull(text)) }));

/** A row without its damaged values, and the first column that had one. */
export interface RepairedRow {
  readonly column: string;
  readonly row: readonly SqlValue[];
}

/**
 * Replaces each stored value that cannot be read by the neutral value of its column, so that a damaged row does not
 * fail the whole answer. Returns undefined for a sound row.
 */
export const repairRow = (stored: readonly SqlValue[], rules: readonly ColumnRule[]): RepairedRow | undefined => {
  let repaired: SqlValue[] | undefined;
  let first: string | undefined;
  for (let at = 0; at < rules.length; at++) {
    const { column, isSound, neutral } = rules[at] as ColumnRule;
    if (isSound(stored[at] as SqlValue)) continue;
    first ??= column;
    repaired ??= [...stored];
    repaired[at] = neutral;
  }
  return repaired === undefined || first === undefined ? undefined : { column: first, row: repaired };
};

/** Parses a stored list of content ids; undefined for any other text. */
export const contentIdsIn = (stored: string): readonly string[] | undefined => {
  const parsed = textsIn(stored);
  return parsed?.every(isContentId) === true ? parsed : undefined;
};

export const isContentId = (text: string): boolean => CONTENT_ID.test(text);

/** Parses a stored list of texts; undefined for any other text. */
export const textsIn = (stored: string): readonly string[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(stored);
    return Array.isArray(parsed) && parsed.every((one) => typeof one === 'string') ? parsed : undefined;
  } catch {
    return undefined;
  }
};
