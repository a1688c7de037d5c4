import { defineRef } from '../../ports/ports.ts';

/**
 * Which tenants this process serves. Work for a tenant that is not served waits: jobs, deliveries, pulls and upkeep ask
 * before they take up a piece of work. Requests are refused where their credential is checked. A plugin that keeps
 * tenants says which ones rest; without such a plugin, every tenant is served.
 */
export interface ServedTenants {
  /** Synchronous and cheap: ask as often as needed. */
  isServed(tenantId: string): boolean;
  /** The tenants that rest, in place of those of the call before. */
  rest(tenantIds: ReadonlySet<string>): void;
  /** The tenants that rest now; empty on most nodes. */
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
