import {
  Clock,
  definePlugin,
  KERNEL_API,
  NodeNotes,
  NodeSelf,
  nodePrincipal,
  optional,
  type Principal,
  Random,
  schema,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { healthRoute } from './health-route.ts';
import { metadataRoute } from './metadata-route.ts';
import { createNodeKeys, openNodeIdentity } from './node-identity.ts';
import { NodeIdentity, NodeKeys, type RotatedNodeKey } from './node-info-api.ts';

interface Settings {
  readonly privateKey: string;
  readonly privateKeyFile: string;
  readonly corsAllowedOrigins: readonly string[];
  readonly corsDevLocalhost: boolean;
}

export const nodeInfoPlugin = definePlugin({
  name: 'node-info',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Says who this node is and whether it is well, and keeps its private key',
  requires: { clock: Clock, random: Random, self: NodeSelf, notes: NodeNotes, audit: optional(AuditLog) },
  provides: [NodeIdentity, NodeKeys],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      privateKey: {
        type: 'string',
        pattern: '^$|^[A-Za-z0-9_-]{43}$',
        default: '',
        env: 'SVC_NODE_PRIVATE_KEY',
        writeOnly: true,
        description: 'Ed25519 seed, 32 bytes in base64url; empty for the one in the file',
      },
      privateKeyFile: {
        type: 'string',
        minLength: 1,
        default: 'data/node.key',
        description: 'file that holds the private key; written at the first start, and expected to be there ever after',
      },
      corsAllowedOrigins: {
        type: 'array',
        items: { type: 'string' },
        default: [],
        env: 'SVC_CORS_ALLOWED_ORIGINS',
        description: 'what the node metadata says about cross-origin requests',
      },
      corsDevLocalhost: {
        type: 'boolean',
        default: false,
        env: 'SVC_CORS_DEV_LOCALHOST',
        description: 'what the node metadata says about cross-origin requests from localhost',
      },
    },
  }),
  async setup({ config, use, hooks, log, route, provide }) {
    const { clock, random, self, notes, audit } = use;
    const record = async ({ retiredPublicKey, publicKey }: RotatedNodeKey, actor: Principal): Promise<void> => {
      const detail = { action: 'node_key_rotate', retired_public_key: retiredPublicKey, public_key: publicKey };
      const { tenantId, entityUri, oidcSub } = actor;
      await audit?.record({ event: 'key_rotation', tenantId, entityUri, oidcSub, detail });
    };
    const changed = async (keys: RotatedNodeKey): Promise<void> => {
      log.warn('the node signs by another key than before: tell the new key to the nodes that pinned the old one', {
        ...keys,
      });
      await record(keys, nodePrincipal(self.names));
    };
    const parts = { settings: config, random, notes };
    const identity = await openNodeIdentity({ ...parts, changed });
    provide(NodeIdentity, identity);
    provide(NodeKeys, createNodeKeys(parts, record));
    const cors = { devLocalhost: config.corsDevLocalhost, configured: config.corsAllowedOrigins.length > 0 };
    route(metadataRoute({ self, hooks, clock, publicKey: identity.publicKey, cors }));
    route(healthRoute({ hooks, clock, log }));
  },
});
