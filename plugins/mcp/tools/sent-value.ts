import { spelledNumber, UNFAITHFUL_NUMBER, VALUE_TYPES } from '../../../kernel/internal-api.ts';
import { type JsonObject, RefusedQuestion } from '../refused-question.ts';

/** The maximum size in bytes of a value of type `string`. Longer text is stored with the type for long texts. */
const MAX_STRING_BYTES = 16 * 1024;

/** Each alternative has one type, because clients refuse or corrupt a member without a type. */
const PLAIN = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] as const;

export type ValueType = (typeof VALUE_TYPES)[number];

/**
 * The schema of a value as a model sends it. `sentValue` checks it, because schema errors for a union are unhelpful.
 */
export const VALUE = {
  description: 'Text stays text unless value_type says otherwise',
  anyOf: [
    ...PLAIN,
    { type: 'object', properties: { type: { type: 'string' }, v: { anyOf: PLAIN } }, required: ['type'] },
  ],
} as const;

export const VALUE_TYPE = { type: 'string', enum: VALUE_TYPES } as const;

/**
 * Returns the typed value that a model means. `valueType` decides about plain values, so that clients that can send
 * only text can store a number. Without it, text stays text. Throws a refusal that names `member`.
 */
export const sentValue = (value: unknown, valueType: ValueType | undefined, member: string): JsonObject => {
  const refuse: Refuse = (problem) =>
    new RefusedQuestion({ code: 'validation', status: 422, detail: `arguments.${member} ${problem}` });
  if (isTyped(value)) {
    const { type = valueType, v } = value;
    if (valueType !== undefined && type !== valueType) throw refuse('has another type than value_type');
    if (!isValueType(type)) throw refuse(`needs a type: one of ${VALUE_TYPES.join(', ')}`);
    // The node checks everything else.
    return { ...value, type, v: typeof v === 'string' ? contentOf(v, type, refuse) : faithful(v, refuse) };
  }
  if (typeof value === 'object' && value !== null) throw refuse('must be text, a number, true, false or {type, v}');
  if (valueType === undefined) return { type: naturalType(value), v: faithful(value, refuse) };
  if (typeof value === 'string') return { type: valueType, v: contentOf(value, valueType, refuse) };
  const isText = valueType === 'string' || valueType === 'text';
  return { type: valueType, v: isText ? String(faithful(value, refuse)) : faithful(value, refuse) };
};

type Refuse = (problem: string) => RefusedQuestion;

interface Typed extends JsonObject {
  readonly type?: unknown;
  readonly v?: unknown;
}

const isTyped = (value: unknown): value is Typed =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (Object.hasOwn(value, 'type') || Object.hasOwn(value, 'v'));

const isValueType = (type: unknown): type is ValueType => VALUE_TYPES.some((known) => known === type);

const contentOf = (word: string, type: ValueType, refuse: Refuse): unknown => {
  switch (type) {
    case 'number': {
      const number = spelledNumber(word.trim());
      if (number === undefined) throw refuse('must be a number');
      return faithful(number, refuse);
    }
    case 'boolean':
      if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true';
      throw refuse('must be true or false');
    case 'null':
      if (word === '' || word === 'null') return null;
      throw refuse('must be null or absent');
    default:
      return word;
  }
};

const naturalType = (value: unknown): ValueType => {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return Buffer.byteLength(String(value)) > MAX_STRING_BYTES ? 'text' : 'string';
};

const faithful = (v: unknown, refuse: Refuse): unknown => {
  if (typeof v === 'number' && !Number.isFinite(v)) throw refuse(UNFAITHFUL_NUMBER);
  return v;
};
