import { objectRequiring } from '../../kernel/internal-api.ts';
import { NO_BODY, type Route } from '../../kernel/plugin-api.ts';
import {
  RELATION_RULE_JSON,
  RELATION_RULES_JSON,
  relationRuleJson,
  VALUE_TYPE_JSON,
  VALUES_JSON,
} from './relation-json.ts';
import type { AskedRule, HeldValues, RelationRules, ValueType } from './relations-api.ts';

const PATH = '/v1/relations';
const ADMIN = { permission: 'admin' } as const;
const DIMENSION = 'admin_action';
const PATTERN_JSON = { type: 'string', minLength: 1, maxLength: 256 } as const;

/** `GET /v1/relations` */
export const listRelationsRoute = (rules: RelationRules): Route => ({
  method: 'GET',
  path: PATH,
  summary: 'Rules about the values of relations, by pattern',
  access: { permission: 'read' },
  answers: { 200: { json: RELATION_RULES_JSON } },
  example: {},
  handle: async ({ caller }) => ({
    status: 200,
    body: { rules: (await rules.list(caller)).map(relationRuleJson) },
  }),
});

interface Body {
  readonly pattern: string;
  readonly values: HeldValues;
  readonly value_type?: ValueType | null;
}

const BODY = objectRequiring<Body>(['pattern', 'values'], {
  pattern: PATTERN_JSON,
  values: VALUES_JSON,
  value_type: { type: ['string', 'null'], enum: [...VALUE_TYPE_JSON.enum, null] },
});

const EXAMPLE = { body: { pattern: 'memory:likes', values: 'many', value_type: 'string' } } as const;

const askedRule = ({ pattern, values, value_type: valueType = null }: Body): AskedRule => ({
  pattern,
  values,
  valueType,
});

/** `POST /v1/relations` */
export const addRelationRoute = (rules: RelationRules): Route<undefined, undefined, Body> => ({
  method: 'POST',
  path: PATH,
  summary: 'Adds a rule about the values of a relation, or of all relations with a prefix',
  access: ADMIN,
  dimension: DIMENSION,
  body: BODY,
  answers: { 201: { json: RELATION_RULE_JSON } },
  example: EXAMPLE,
  handle: async ({ caller, body }) => ({
    status: 201,
    body: relationRuleJson(await rules.add(caller, askedRule(body))),
  }),
});

/** `PUT /v1/relations` */
export const setRelationRoute = (rules: RelationRules): Route<undefined, undefined, Body> => ({
  method: 'PUT',
  path: PATH,
  summary: 'Adds a rule, or replaces the one with the same pattern',
  access: ADMIN,
  dimension: DIMENSION,
  body: BODY,
  answers: { 200: { json: RELATION_RULE_JSON } },
  example: EXAMPLE,
  handle: async ({ caller, body }) => ({
    status: 200,
    body: relationRuleJson(await rules.set(caller, askedRule(body))),
  }),
});

interface RemoveQuery {
  readonly pattern: string;
}

/** `DELETE /v1/relations?pattern=` */
export const removeRelationRoute = (rules: RelationRules): Route<undefined, RemoveQuery> => ({
  method: 'DELETE',
  path: PATH,
  summary: 'Removes a rule, after which the next shorter pattern decides',
  access: ADMIN,
  dimension: DIMENSION,
  query: objectRequiring<RemoveQuery>(['pattern'], { pattern: PATTERN_JSON }),
  answers: { 204: NO_BODY },
  example: { query: { pattern: 'memory:likes' } },
  async handle({ caller, query }) {
    await rules.remove(caller, query.pattern);
    return { status: 204 };
  },
});
