import type { FactField, FactQuery, Filter } from '../../ports/ports.ts';

/** Returns whether a filter names the tenant of its facts. */
export const namesTenant = (filter: Filter): boolean =>
  filter.kind === 'all' ? filter.of.some(namesTenant) : filter.kind === 'in' && filter.field === 'tenantId';

const NARROW: ReadonlySet<FactField> = new Set(['id', 'cid', 'entityKey']);

/** Returns whether an index leads to few facts of each tenant, which are then sorted. */
const isNarrow = (filter: Filter): boolean => {
  if (filter.kind === 'all') return filter.of.some(isNarrow);
  return filter.kind === 'in' && NARROW.has(filter.field);
};

/** Returns whether a query goes through the facts of all tenants in feed order, which exists per tenant only. */
export const isStoreWide = ({ order, filter }: FactQuery): boolean =>
  order === 'feed' && !namesTenant(filter) && !isNarrow(filter);
