import { DEFAULT_TENANT, type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import { type DirectoryService, requireOperator, tenancyIsOff } from './directory-service.ts';
import type { Tenancy } from './multi-tenant-api.ts';
import type { TenantDirectory } from './tenant-directory.ts';
import type { TenantStandings } from './tenant-standings.ts';

export interface TenancyParts {
  readonly directory: TenantDirectory;
  readonly standings: TenantStandings;
  readonly tenants: DirectoryService;
}

/** The tenancy of a node with one tenant. */
export const singleTenancy: Tenancy = {
  isOn: false,
  tenantOf: () => DEFAULT_TENANT,
  standingOf: () => 'active',
  async requireOpen(tenantId) {
    if (tenantId !== DEFAULT_TENANT) throw tenancyIsOff();
  },
  async administer(caller) {
    requireOperator(caller, false);
    return caller;
  },
};

/** The tenancy of a node with several tenants. */
export const createTenancy = ({ directory, standings, tenants }: TenancyParts): Tenancy => ({
  isOn: true,
  tenantOf: (storedTenantId) => storedTenantId,
  standingOf: (tenantId) => standings.of(tenantId),
  async requireOpen(tenantId) {
    await tenants.adopt();
    const tenant = await directory.find(tenantId);
    if (tenant === undefined) {
      throw new ServiceError('lookup', 'there is no such tenant', {
        hint: 'make it first, with "fact-memory-node tenant create ID"',
      });
    }
    if (tenant.status !== 'active') {
      throw new ServiceError(
        'authorization',
        `the tenant is ${tenant.status === 'suspended' ? 'suspended' : 'erased'}`,
      );
    }
  },
  async administer(caller, tenantId) {
    requireOperator(caller, true);
    await tenants.adopt();
    const tenant = await directory.find(tenantId);
    if (tenant === undefined || standings.of(tenantId) === 'erased') {
      throw new ServiceError('lookup', 'there is no such tenant');
    }
    return actingIn(caller, tenantId);
  },
});

const actingIn = (caller: Principal, tenantId: string): Principal =>
  caller.tenantId === tenantId ? caller : { ...caller, tenantId };
