import { matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';

/**
 * Returns the id of the fact whose expiry a time-to-live sets. Its entity is that id, bare or with the prefix of fact
 * entities.
 */
export const ttlTarget = (entity: string, names: ServiceNames): string => {
  const prefix = names.factEntity('');
  return matchKey(entity, names).startsWith(prefix) ? entity.slice(prefix.length) : entity;
};
