import type { Filter } from '../../ports/ports.ts';
import { tenantOf } from './cached-facts.ts';
import { isStorableText } from './filter-values.ts';

/** Returns a content id as the store of a tenant holds it. */
type HideCid = (tenantId: string, cid: string) => string;

/**
 * Replaces the content ids in a filter by those that a sealed store holds, one by one, so that the filter keeps its
 * shape. Each tenant has its own, so throws for a filter that names content ids without their tenant.
 */
export const storedFilter = (filter: Filter, tenantId: string | undefined, hide: HideCid): Filter => {
  if (!namesCid(filter)) return filter;
  const tenant = tenantOf(filter) ?? tenantId;
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { ...filter, of: filter.of.map((part) => storedFilter(part, tenant, hide)) };
    case 'not':
      return { ...filter, of: storedFilter(filter.of, tenant, hide) };
    case 'in':
      // Keeps the other values, because no stored text equals them and the clear shape counts without them.
      return {
        ...filter,
        values: filter.values.map((value) => (isStorableText(value) ? hide(required(tenant), value) : value)),
      };
    case 'inTable':
      return { ...filter, whereFact: storedFilter(filter.whereFact as Filter, tenant, hide) };
    default:
      throw new Error('a sealed store finds content ids only as a whole');
  }
};

/** Returns whether a filter compares content ids with texts. */
const namesCid = (filter: Filter): boolean => {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.some(namesCid);
    case 'not':
      return namesCid(filter.of);
    case 'in':
    case 'startsWith':
      return filter.field === 'cid';
    case 'inTable':
      return filter.whereFact !== undefined && namesCid(filter.whereFact);
    default:
      return false;
  }
};

const required = (tenantId: string | undefined): string => {
  if (tenantId === undefined)
    throw new Error('a filter on content ids names their tenant, in a store that may be sealed');
  return tenantId;
};
