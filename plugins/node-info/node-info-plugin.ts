import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  DEFAULT_TENANT,
  NodeDescription,
  NodeNotes,
  NodeSelf,
  NodeSettings,
  nodePrincipal,
  optional,
  type Principal,
  Random,
  SignatureWork,
  Telemetry,
} from '../../kernel/plugin-api.ts';
import { AuditLog, auditSigner, KEY_ROTATION } from '../audit/audit-api.ts';
import { KeyHistory, SEALED } from './key-history.ts';
import { measureReplicas } from './measure-replicas.ts';
import { measureSeal } from './measure-seal.ts';
import { createHealthCheck, createReadinessCheck } from './node-health.ts';
import {
  createNodeKeys,
  inspectNodeKey,
  type NodeKeySettings,
  openNodeIdentity,
  readHeldKeys,
} from './node-identity.ts';
import { NodeIdentity, NodeInfo, NodeKeys, type RotatedNodeKey } from './node-info-api.ts';
import { healthRoute, metadataRoute, readinessRoute } from './node-info-routes.ts';
import { nodeKeyCommands, rotateCommands } from './node-key-commands.ts';
import { createMetadata } from './node-metadata.ts';
import { KeyTakeUp } from './take-up-key.ts';

/** The signal that the key was replaced. */
const KEY_ROTATED = 'key';
const TAKE_UP_INTERVAL_MS = 1_000;
/** The interval in milliseconds of a check for a changed key: a file may be replaced by hand, or a signal get lost. */
const LOOK_INTERVAL_MS = 60_000;

const settings = objectSchema<NodeKeySettings>({
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
    dataPath: 'node.key',
    description: 'file that holds the private key; written at the first start, and expected to be there ever after',
  },
});

export const nodeInfoPlugin = defineOwnPlugin({
  name: 'node-info',
  summary: 'Says who this node is and whether it is well, and keeps its private key',
  requires: {
    clock: Clock,
    random: Random,
    self: NodeSelf,
    node: NodeSettings,
    notes: NodeNotes,
    work: SignatureWork,
    audit: optional(AuditLog),
    description: NodeDescription,
    telemetry: Telemetry,
  },
  provides: [NodeIdentity, NodeKeys, NodeInfo],
  config: settings,
  commands: [nodeKeyCommands(settings), rotateCommands],
  sealed: [SEALED],
  inspect: ({ config, notes, probeFolder }) => inspectNodeKey(config, notes, probeFolder),
  async setup({ config, use, tables, hooks, log, on, route, provide, onStart, onSignal, every }) {
    const { clock, random, self, node, notes, work, audit, description, telemetry } = use;
    const record = async ({ retiredPublicKey, publicKey }: RotatedNodeKey, actor: Principal): Promise<void> => {
      const detail = { action: 'node_key_rotate', retired_public_key: retiredPublicKey, public_key: publicKey };
      const { tenantId, entityUri, oidcSub } = actor;
      await audit?.record({ event: KEY_ROTATION, tenantId, entityUri, oidcSub, detail });
    };
    const changed = async (keys: RotatedNodeKey): Promise<void> => {
      log.warn('the node signs by another key than before: tell the new key to the nodes that pinned the old one', {
        ...keys,
      });
      await record(keys, nodePrincipal(self.names));
    };
    const parts = { settings: config, random, notes };
    const identity = await openNodeIdentity({ ...parts, work, changed });
    provide(NodeIdentity, identity);
    const history = new KeyHistory({ notes, clock, nodeId: self.nodeId });
    on(auditSigner, () => ({
      get publicKey() {
        return identity.publicKey;
      },
      sign: (bytes) => identity.sign(bytes),
      keys: async () => [
        ...(await history.list()).map(({ public_key }) => public_key),
        ...identity.retired.map(({ publicKey }) => publicKey),
        identity.publicKey,
      ],
    }));
    const takeUp = new KeyTakeUp({ identity, history, hooks, clock, log, readKeys: () => readHeldKeys(config) });
    // Publishes a new key only from a process that serves requests. A command that runs beside an older process must
    // not publish it, nor begin what the end of the command interrupts.
    let serves = false;
    const look = (): void => {
      if (!serves) return;
      takeUp.look().catch((error: unknown) => log.warn('the key of the node could not be read again', { error }));
    };
    onStart(async () => {
      await history.begin(identity.publicKey, identity.signRetired);
      serves = true;
      // Makes up for a signal that came before.
      look();
    });
    onSignal(KEY_ROTATED, look);
    every(TAKE_UP_INTERVAL_MS, () => takeUp.useWhenDue());
    every(LOOK_INTERVAL_MS, look);
    const rotatedBy = async (keys: RotatedNodeKey, actor: Principal): Promise<void> => {
      await record(keys, actor);
      await tables.write(DEFAULT_TENANT, async (own) => own.signal(KEY_ROTATED));
    };
    provide(NodeKeys, createNodeKeys(parts, rotatedBy));
    const isHealthy = createHealthCheck({ hooks, clock, log });
    const info: NodeInfo = {
      metadata: createMetadata({ self, hooks, clock, identity, history, cors: node.crossOrigin }),
      isHealthy,
      isReady: createReadinessCheck({ hooks, clock, log }, isHealthy),
    };
    provide(NodeInfo, info);
    measureSeal(telemetry, description);
    measureReplicas(telemetry, description);
    route(metadataRoute(info, self.names));
    route(healthRoute(info));
    route(readinessRoute(info));
  },
});
