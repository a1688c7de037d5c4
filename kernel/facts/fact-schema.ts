import { VALUE_TYPES } from '../../ports/fact.ts';
import { objectOf } from '../plugins/answer-schemas.ts';
import { defineComponent } from '../vocabulary/components.ts';
import { factSchema } from './fact-json.ts';

/** A value in an answer. */
export const FACT_VALUE = defineComponent('FactValue', {
  summary: 'a value with its type',
  json: objectOf({
    type: { type: 'string', enum: [...VALUE_TYPES] },
    v: { type: ['string', 'number', 'boolean', 'null'] },
    interpret_as: { type: 'string', enum: ['content', 'instruction'] },
  }),
});

/** What `FactJson` makes: the members of every fact, and those of the marks that the plugins of the node declare. */
export const FACT = defineComponent('Fact', { summary: 'a fact as the caller sees it', json: factSchema });
