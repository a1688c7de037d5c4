import { SCOPES, VALUE_TYPES } from '../../ports/fact.ts';
import {
  BOOLEAN_JSON,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SHARE_JSON,
  STRING_JSON,
} from '../plugins/answer-schemas.ts';
import { component, defineComponent } from '../vocabulary/components.ts';

/** A value in an answer. */
export const FACT_VALUE = defineComponent('FactValue', {
  summary: 'a value with its type',
  json: objectOf({
    type: { type: 'string', enum: [...VALUE_TYPES] },
    v: { type: ['string', 'number', 'boolean', 'null'] },
    interpret_as: { type: 'string', enum: ['content', 'instruction'] },
  }),
});

/** What `createFactJson` makes. */
export const FACT = defineComponent('Fact', {
  summary: 'a fact as the caller sees it',
  json: objectOf(
    {
      id: STRING_JSON,
      entity: STRING_JSON,
      relation: STRING_JSON,
      value: component(FACT_VALUE),
      source: STRING_JSON,
      timestamp: INSTANT_JSON,
      hlc: { type: 'string', pattern: '^[0-9]{1,15}\\.[0-9]{1,10}$' },
      received_from: orNull(STRING_JSON),
      valid_until: orNull(INSTANT_JSON),
      confidence: SHARE_JSON,
      scope: { type: 'string', enum: [...SCOPES] },
      garden_id: orNull(STRING_JSON),
      cid: { type: ['string', 'null'], pattern: '^sha256:[0-9a-f]{64}$' },
      contradicted: BOOLEAN_JSON,
      differs_elsewhere: { type: 'boolean', const: true },
      attested: orNull(BOOLEAN_JSON),
      attested_key_id: orNull(STRING_JSON),
      origin_node_id: orNull(STRING_JSON),
      origin_allowed_scopes: { type: 'null' },
      warnings: listOf(STRING_JSON),
      derived_from: listOf({ type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }),
      source_trust: orNull(SHARE_JSON),
      effective_confidence: orNull(SHARE_JSON),
      quarantine_status: orNull(STRING_JSON),
      quarantine_garden_id: orNull(STRING_JSON),
      sanitizer_warnings: { type: 'array', maxItems: 0 },
      sanitizer_redacted: { type: 'boolean', const: false },
    },
    { optional: ['differs_elsewhere'] },
  ),
});
