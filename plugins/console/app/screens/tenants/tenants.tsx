import { useAddress } from '../../shell/address.ts';
import { OneTenant } from './one-tenant.tsx';
import { TenantList } from './tenant-list.tsx';

/** All tenants of the node, or the one that the address names. */
export const Tenants = () => {
  const { query } = useAddress();
  return query.tenant === undefined ? <TenantList /> : <OneTenant key={query.tenant} id={query.tenant} />;
};
