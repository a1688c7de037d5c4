import { ServiceError } from '../../kernel/plugin-api.ts';
import type { GrantKeys } from './oauth-grants.ts';

/** The key registry of a node without the plugin `keys`: grants can only be listed and ended. */
export const WITHOUT_KEYS: GrantKeys = {
  own: async () => [],
  principalOf: async () => undefined,
  revoke: async () => {},
  register: () => Promise.reject(new ServiceError('unavailable', 'this node has no keys, so it gives no access')),
};
