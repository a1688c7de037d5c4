import { defineRef } from '../../ports/ports.ts';

/**
 * The tenants that this process serves. Work for any other tenant waits: jobs, deliveries, pulls and upkeep ask before
 * each piece of work. Requests are refused where their credential is checked. A plugin that manages tenants pauses
 * some; without such a plugin, every tenant is served.
 */
export interface ServedTenants {
  /** Returns whether the tenant is served. Synchronous and fast, for frequent calls. */
  isServed(tenantId: string): boolean;
  /** Pauses these tenants, and resumes the others. */
  rest(tenantIds: ReadonlySet<string>): void;
  /** The paused tenants; empty on most nodes. */
  readonly resting: ReadonlySet<string>;
}

export const ServedTenants = defineRef<ServedTenants>('kernel.served-tenants');

export const createServedTenants = (): ServedTenants => {
  let resting: ReadonlySet<string> = new Set();
  return {
    isServed: (tenantId) => !resting.has(tenantId),
    rest(tenantIds) {
      resting = tenantIds;
    },
    get resting() {
      return resting;
    },
  };
};
