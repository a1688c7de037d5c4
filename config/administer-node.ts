import type {
  KeyAdministration,
  RotatedKey,
  TokenAdministration,
  TokenRecord,
} from '../adapters/cli/command-line-deps.ts';
import { nodePrincipal } from '../kernel/identity/node-principal.ts';
import { NodeSelf } from '../kernel/identity/node-self.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { formatInstant } from '../kernel/time/instant.ts';
import {
  CAPABILITY_VERBS,
  type CapabilityRecord,
  CapabilityRegistry,
  type CapabilityVerb,
} from '../plugins/capability-tokens/capability-tokens-api.ts';
import { KeyRegistry } from '../plugins/keys/keys-api.ts';
import { NodeKeys } from '../plugins/node-info/node-info-api.ts';
import { Authorizer, type Principal, ServiceError } from '../ports/ports.ts';

const MOST_LISTED = 10_000;

/** Key administration of a started node, undefined while the plugin is off. */
export const administerKeys = (kernel: Kernel): KeyAdministration | undefined => {
  if (!kernel.has(KeyRegistry)) return undefined;
  const registry = kernel.get(KeyRegistry);
  const node = actorOf(kernel);
  return {
    permissions: registry.permissions,
    count: () => registry.count(),
    register: ({ expiresAt, ...key }) => registry.register(node, expiresAt === undefined ? key : { ...key, expiresAt }),
    isActive: (rawKey) => isAccepted(kernel.get(Authorizer), rawKey),
    list: () => registry.list(node),
    revoke: (id) => registry.revoke(node, id),
  };
};

const isAccepted = async (authorizer: Authorizer, rawKey: string): Promise<boolean> => {
  try {
    return (await authorizer.authenticate(rawKey)) !== null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'authentication') return false;
    throw error;
  }
};

/** Administration of capability tokens of a started node, undefined while the plugin is off. */
export const administerTokens = (kernel: Kernel, tenantId?: string): TokenAdministration | undefined => {
  if (!kernel.has(CapabilityRegistry)) return undefined;
  const registry = kernel.get(CapabilityRegistry);
  const node = actorOf(kernel, tenantId);
  return {
    mint: async ({ verb, ...token }) => {
      const issued = await registry.issue(node, { ...token, issuer: node.entityUri, verb: verbOf(verb) });
      return { ...recordOf(issued), tokenJson: issued.tokenJson };
    },
    show: async (tokenJson) => {
      const { record, ...finding } = await registry.inspect(node, tokenJson);
      const reason = finding.valid ? {} : { reason: `${finding.reason}: ${finding.detail}` };
      return { valid: finding.valid, ...reason, ...(record === undefined ? {} : { record: recordOf(record) }) };
    },
    list: async () => (await registry.list(node, { limit: MOST_LISTED })).found.map(recordOf),
    revoke: async (id) => {
      await registry.revoke(node, id);
    },
  };
};

/** Rotates the node's own key, undefined while the plugin that keeps it is off. */
export const rotateKeyOf = (kernel: Kernel): (() => Promise<RotatedKey>) | undefined =>
  kernel.has(NodeKeys) ? () => kernel.get(NodeKeys).rotate(actorOf(kernel)) : undefined;

/** Whoever can open the store may do anything to it; what is done wants to know on whose behalf all the same. */
const actorOf = (kernel: Kernel, tenantId?: string): Principal => nodePrincipal(kernel.get(NodeSelf).names, tenantId);

const verbOf = (text: string): CapabilityVerb => {
  const verb = CAPABILITY_VERBS.find((known) => known === text);
  if (verb !== undefined) return verb;
  throw new ServiceError('validation', `a capability token has one of the verbs ${CAPABILITY_VERBS.join(', ')}`);
};

const recordOf = (token: CapabilityRecord): TokenRecord => ({
  tokenId: token.tokenId,
  issuer: token.issuer,
  subject: token.subject,
  verb: token.verb,
  object: token.object,
  issuedAt: formatInstant(token.issuedMs),
  expiresAt: formatInstant(token.expiresMs),
  revokedAt: token.revokedMs === null ? null : formatInstant(token.revokedMs),
});
