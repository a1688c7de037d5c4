import { defineRef, maskName } from '../../ports/ports.ts';
import { memberRefusal } from '../problems/member-refusal.ts';
import type { JsonSchema } from '../schemas/answer-schemas.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { createFactJson, type FactJson, slotsOf } from './fact-json.ts';
import { COMPACT, MARKS } from './fact-members.ts';

/** Selects members of a fact, for a caller that does not need all of them. */
export interface FactFields {
  /**
   * Returns the function that writes facts with these members and no others, in the order of the whole fact. Undefined,
   * for the whole fact, returns undefined. `compact` and `marks` name several members at once. Throws `validation` for
   * an unknown name, and lists the known ones: 400 in a query, 422 in a body.
   */
  read(fields: string | readonly string[] | undefined, place: 'query' | 'body'): FactJson | undefined;
}

export const FactFields = defineRef<FactFields>('kernel.fact-fields');

/** The maximum length of all names together, as text. */
const MAX_CHARACTERS = 2_000;
const MAX_NAMES = 100;

const NAMES =
  `Members of each fact in the answer, and no others; \`${COMPACT}\` stands for what most readers need, ` +
  `\`${MARKS}\` for what plugins say of a fact where they say something.`;

/** The schema of `fields` as text: names separated by commas. */
export const FIELDS_TEXT: JsonSchema = { type: 'string', maxLength: MAX_CHARACTERS, description: NAMES };

/** The schema of `fields` in a body: text with commas, or a list of names. */
export const FIELDS_JSON: JsonSchema = {
  type: ['string', 'array'],
  items: { type: 'string' },
  maxLength: MAX_CHARACTERS,
  maxItems: MAX_NAMES,
  description: NAMES,
};

/** The members of the compact form. It also has the marks, which name unusual properties of a fact. */
const COMPACT_MEMBERS = ['id', 'entity', 'relation', 'value', 'source', 'timestamp', 'confidence', 'scope', MARKS];

export const createFactFields = (vocabulary: Vocabulary): FactFields => {
  const known = slotsOf(vocabulary).map(({ name }) => name);
  const isKnown = new Set([...known, COMPACT, MARKS]);
  const made = new Map<string, FactJson>();
  return {
    read(fields, place) {
      if (fields === undefined) return undefined;
      const names = (typeof fields === 'string' ? fields.split(',') : fields).map((name) => name.trim());
      const stranger = names.find((name) => !isKnown.has(name));
      if (stranger !== undefined || names.length === 0) {
        const problem = stranger ? `names ${JSON.stringify(maskName(stranger))}, which no fact has` : 'names nothing';
        const hint = `the sets are ${COMPACT} and ${MARKS}, the members ${known.join(', ')}`;
        throw memberRefusal(`${place}.fields`, `${problem}; ${hint}`, 'validation', {
          status: place === 'query' ? 400 : 422,
        });
      }
      const asked = new Set(names.flatMap((name) => (name === COMPACT ? COMPACT_MEMBERS : name)));
      const key = [...asked].sort().join();
      const json = made.get(key) ?? createFactJson(vocabulary, asked);
      // Clears the cache when it is full, because callers choose the names.
      if (made.size === MAX_CACHED) made.clear();
      made.set(key, json);
      return json;
    },
  };
};

const MAX_CACHED = 100;
