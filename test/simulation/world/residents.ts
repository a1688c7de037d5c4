import type { Kernel } from '../../../kernel/boot/kernel.ts';
import { DEFAULT_TENANT, NodeSelf, nodePrincipal, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';

/** The callers of a node. `outsider` belongs to no garden, `reader` may read only public facts. */
export type Resident = 'admin' | 'writer' | 'member' | 'outsider' | 'reader';

export interface Residents {
  keyOf(resident: Resident): string;
  entityOf(resident: Resident): string;
}

const RIGHTS: Readonly<
  Record<Resident, { readonly permissions: readonly string[]; readonly scopes: readonly Scope[] }>
> = {
  admin: { permissions: ALL_PERMISSIONS, scopes: SCOPES },
  writer: { permissions: ['read', 'write'], scopes: SCOPES },
  member: { permissions: ['read', 'write'], scopes: SCOPES },
  outsider: { permissions: ['read'], scopes: SCOPES },
  reader: { permissions: ['read'], scopes: ['public'] },
};

export const residentsOf = (party: string): Residents => ({
  keyOf: (resident) => `a-key-in-the-simulation-of-${resident}-at-${party}`,
  entityOf: (resident) => `agent:${resident}-${party}`,
});

/** Registers all callers, once, on a new store. */
export const registerResidents = async (kernel: Kernel, { keyOf, entityOf }: Residents): Promise<void> => {
  for (const [name, { permissions, scopes: allowedScopes }] of Object.entries(RIGHTS)) {
    const resident = name as Resident;
    await kernel.get(KeyRegistry).register(nodePrincipal(kernel.get(NodeSelf).names), {
      rawKey: keyOf(resident),
      entityUri: entityOf(resident),
      permissions,
      allowedScopes,
      tenantId: DEFAULT_TENANT,
    });
  }
};
