import type { Principal, ServiceNames } from '../../kernel/plugin-api.ts';
import { principalKey } from '../keys/keys-api.ts';

/** Selects the memberships of a caller. */
export const membershipsOf = ({ tenantId, entityUri }: Principal, names: ServiceNames) => ({
  tenant_id: tenantId,
  entity_key: principalKey(entityUri, names),
});
