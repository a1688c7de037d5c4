import { type AuthoriseBatch, ServiceError } from '../../kernel/plugin-api.ts';
import type { RelationRules, ValueType } from './relations-api.ts';

/**
 * Refuses values whose type differs from the type in the rule, except in retractions. Facts of peers may have any type,
 * because each node has its own rules.
 */
export const refuseTypes = ({ items }: AuthoriseBatch, rules: Pick<RelationRules, 'at'>): void => {
  for (const item of items) {
    const { fact, origin, open } = item;
    if (!open || origin !== 'client' || fact.system || fact.confidence === 0) continue;
    const type = rules.at(fact.tenantId).ruleOf(fact.relationKey)?.valueType ?? null;
    if (type !== null && fact.value.type !== type) item.reject(wrongType(item.path, type), 'member');
  }
};

const wrongType = (path: string, type: ValueType): ServiceError =>
  new ServiceError('validation', `the relation holds values of the type ${type} alone`, {
    hint: `send the value with the type ${type}, or change the rule with PUT /v1/relations`,
    violations: [{ path: `${path}.value.type`, message: `must be ${type}` }],
  });
