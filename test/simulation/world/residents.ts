import { type AnyPlugin, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { createKeyRing } from '../../fakes/key-ring.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';

/** The callers of a node. `outsider` is in no garden, `reader` reads public facts alone. */
export type Resident = 'admin' | 'writer' | 'member' | 'outsider' | 'reader';

export interface Residents {
  /** Knows their keys. */
  readonly plugin: AnyPlugin;
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

export const createResidents = (party: string): Residents => {
  const ring = createKeyRing();
  const keyOf = (resident: Resident): string => `key-of-${resident}-at-${party}`;
  const entityOf = (resident: Resident): string => `agent:${resident}-${party}`;
  for (const [name, { permissions, scopes }] of Object.entries(RIGHTS)) {
    const resident = name as Resident;
    ring.add(keyOf(resident), {
      entityUri: entityOf(resident),
      permissions: new Set(permissions),
      allowedScopes: new Set(scopes),
    });
  }
  return { plugin: ring.plugin, keyOf, entityOf };
};
