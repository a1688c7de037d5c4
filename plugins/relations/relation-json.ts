import { formatHlc, VALUE_TYPES } from '../../kernel/internal-api.ts';
import { formatInstant, INSTANT_JSON, listOf, objectOf, orNull, STRING_JSON } from '../../kernel/plugin-api.ts';
import { HELD_VALUES, type RelationRule } from './relations-api.ts';

export const VALUES_JSON = { type: 'string', enum: HELD_VALUES } as const;
export const VALUE_TYPE_JSON = { type: 'string', enum: VALUE_TYPES } as const;

export const RELATION_RULE_JSON = objectOf({
  pattern: STRING_JSON,
  values: VALUES_JSON,
  value_type: orNull(VALUE_TYPE_JSON),
  set_by: STRING_JSON,
  set_at: INSTANT_JSON,
  since: STRING_JSON,
});

export const RELATION_RULES_JSON = objectOf({ rules: listOf(RELATION_RULE_JSON) });

export const relationRuleJson = ({ pattern, values, valueType, setBy, setMs, since }: RelationRule) => ({
  pattern,
  values,
  value_type: valueType,
  set_by: setBy,
  set_at: formatInstant(setMs),
  since: formatHlc(since),
});
