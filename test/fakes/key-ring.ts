import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Authorizer, DEFAULT_TENANT, type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';

export type KeyHolder = Pick<Principal, 'entityUri' | 'permissions' | 'allowedScopes'> & { readonly tenantId?: string };

/** API keys in memory, for tests of plugins that need callers but not the `keys` plugin. */
export interface KeyRing {
  readonly authorizer: Authorizer;
  /** The plugin that provides the authorizer to a node. */
  readonly plugin: AnyPlugin;
  add(rawKey: string, holder: KeyHolder): void;
}

export const createKeyRing = (): KeyRing => {
  const holders = new Map<string, Principal>();
  const authorizer: Authorizer = {
    authenticate(token) {
      const holder = token === null ? undefined : holders.get(token);
      if (holder === undefined) throw new ServiceError('authentication', 'a valid API key is required');
      return holder;
    },
  };
  return {
    authorizer,
    plugin: defineOwnPlugin({
      name: 'test-keys',
      provides: [Authorizer],
      setup: ({ provide }) => provide(Authorizer, authorizer),
    }),
    add(rawKey, holder) {
      const keyId = `key-${holders.size + 1}`;
      holders.set(rawKey, { kind: 'key', keyId, oidcSub: null, tenantId: DEFAULT_TENANT, ...holder });
    },
  };
};
