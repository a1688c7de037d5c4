import { join } from 'node:path';
import { defineOwnPlugin, type EndingRows, keepEnds, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  DEFAULT_TENANT,
  GardenAccess,
  NodeSelf,
  NodeSettings,
  optional,
  Random,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { NodeIdentity, nodeKeyAnnounced } from '../node-info/node-info-api.ts';
import { capabilityContents, capabilityMigrations, TOKENS_TABLE } from './capability-migrations.ts';
import {
  issueCapabilityRoute,
  listCapabilitiesRoute,
  revokeCapabilityRoute,
  verifyCapabilityRoute,
} from './capability-routes.ts';
import { SEALED } from './capability-row.ts';
import { CapabilityStore, TOKENS_REVOKED } from './capability-store.ts';
import { CAPABILITY_INVALID, CapabilityRegistry, CapabilityTokens } from './capability-tokens-api.ts';
import * as words from './capability-tokens-words.ts';
import { StoredCapabilities } from './stored-capabilities.ts';
import { tokenCommands } from './token-commands.ts';

const PRUNE_INTERVAL_MS = 3_600_000;
/**
 * The time for which lists still show a token that has expired. A later use of the token is refused because of its
 * expiry.
 */
const KEPT_AFTER_END_MS = 30 * 86_400_000;

const REVOKED_TOKENS: WithdrawalJournal = {
  file: 'revoked-tokens',
  withdrawn: 'revoked capability tokens',
  listCommand: 'token list',
};

export const capabilityTokensPlugin = defineOwnPlugin({
  name: 'capability-tokens',
  summary: 'Signed tokens that let one entity do one thing to one object for a time, revocable at once',
  requires: {
    clock: Clock,
    random: Random,
    cursors: Cursors,
    self: NodeSelf,
    node: NodeSettings,
    identity: NodeIdentity,
    audit: optional(AuditLog),
    gardens: optional(GardenAccess),
  },
  provides: [CapabilityTokens, CapabilityRegistry],
  declares: [...Object.values(words), CAPABILITY_INVALID],
  migrations: capabilityMigrations,
  contents: capabilityContents,
  journals: [REVOKED_TOKENS],
  sealed: [SEALED],
  commands: [tokenCommands],
  async setup(context) {
    const { use, tables, on, route, provide, every } = context;
    const { clock, random, cursors, self, node, identity, audit, gardens } = use;
    const store = new CapabilityStore(tables);
    for (const { publicKey } of [identity, ...identity.retired]) {
      await store.addSigningKey(publicKey, DEFAULT_TENANT, clock.nowMs());
    }
    on(nodeKeyAnnounced, ({ publicKey }) => store.addSigningKey(publicKey, DEFAULT_TENANT, clock.nowMs()));
    keepEnds(context, {
      topic: TOKENS_REVOKED,
      tables,
      clock,
      file: join(node.dataFolder, REVOKED_TOKENS.file),
      tenantOf: (tenantId) => tenantId,
      kinds: [revocableTokens(store)],
    });
    const { names } = self;
    const tokens = new StoredCapabilities({ store, tables, clock, random, names, identity, audit, gardens });
    provide(CapabilityTokens, tokens);
    provide(CapabilityRegistry, tokens);
    const parts = { registry: tokens, clock, cursors };
    route(issueCapabilityRoute(parts));
    route(verifyCapabilityRoute(parts));
    route(revokeCapabilityRoute(parts));
    route(listCapabilitiesRoute(parts));
    every(PRUNE_INTERVAL_MS, () => store.prune(clock.nowMs() - KEPT_AFTER_END_MS));
  },
});

const revocableTokens = (store: CapabilityStore): EndingRows => ({
  table: TOKENS_TABLE,
  id: 'token_id',
  endedMs: 'revoked_ms',
  end: async (own, row, nowMs) => {
    const token = await store.byId(own, String(row['token_id']), String(row['tenant_id']));
    if (token !== undefined) await store.revoke(own, token, { nowMs, by: 'node', reason: 'revoked before a restore' });
  },
});
