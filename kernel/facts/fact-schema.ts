import { VALUE_TYPES } from '../../ports/fact.ts';
import { type JsonSchema, objectOf } from '../schemas/answer-schemas.ts';
import { defineComponent } from '../vocabulary/components.ts';
import { factPartSchema, factSchema } from './fact-json.ts';

/** The schema of a value in an answer. */
export const FACT_VALUE = defineComponent('FactValue', {
  summary: 'a value with its type',
  json: objectOf({
    type: { type: 'string', enum: [...VALUE_TYPES] },
    v: { type: ['string', 'number', 'boolean', 'null'] },
    interpret_as: { type: 'string', enum: ['content', 'instruction'] },
  }),
});

const SENT_VALUE_JSON: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: [...VALUE_TYPES] },
    v: {
      type: ['string', 'number', 'boolean', 'null'],
      description:
        'As the type says: a string of at most 16 KiB, a text of at most 1 MiB, a number, a boolean, ' +
        'an RFC 3339 instant or date, the URI or id of an entity, or null.',
    },
    interpret_as: {
      type: ['string', 'null'],
      enum: ['content', 'instruction', null],
      default: 'content',
      description: 'An instruction needs the permission `instruction:write`.',
    },
  },
  required: ['type'],
  additionalProperties: false,
};

/** The schema of a value that a client sends. `readFactValue` checks its content. */
export const SENT_VALUE = defineComponent('SentValue', { summary: 'a value to be stored', json: SENT_VALUE_JSON });

/** The schema of a fact object: the members of every fact, and those of the marks that plugins declare. */
export const FACT = defineComponent('Fact', { summary: 'a fact as the caller sees it', json: factSchema });

/** The schema of a fact object with only the requested members. */
export const FACT_PART = defineComponent('FactPart', {
  summary: 'the members of a fact that `fields` names',
  json: factPartSchema,
});
