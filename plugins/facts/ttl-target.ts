import { matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';

/** Id of the fact that a time-to-live ends: its entity, bare or with the prefix of fact entities. */
export const ttlTarget = (entity: string, names: ServiceNames): string => {
  const prefix = names.factEntity('');
  return matchKey(entity, names).startsWith(prefix) ? entity.slice(prefix.length) : entity;
};
