import { defineOwnPlugin, isLedgerErased } from '../../kernel/internal-api.ts';
import { appendLink, Clock, hasPermission, NodeSelf, Random, requirePermission } from '../../kernel/plugin-api.ts';
import { AUDIT_READ } from '../audit/audit-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { recallAnswer } from '../recall/recall-api.ts';
import { CHAIN_PROOF } from './chain-proof-json.ts';
import { createChainCheck } from './check-chain.ts';
import { isLinked, linkBacklog, linkNew } from './extend-chain.ts';
import { FactChain } from './fact-chain-api.ts';
import { factChainMigrations } from './fact-chain-migrations.ts';
import * as words from './fact-chain-words.ts';
import { advanceCheckpoint, proveChain } from './prove-chain.ts';

/** A proof counts every fact of the tenant, including facts that other callers may not see. */
const MAY_PROVE = ['admin', AUDIT_READ] as const;

/**
 * The interval of verifications in milliseconds. It is short, so that a proof has few links to hash. A run without new
 * facts costs little.
 */
const VERIFY_INTERVAL_MS = 10_000;

export const factChainPlugin = defineOwnPlugin({
  name: 'fact-chain',
  summary: 'Ties every fact to the one before it by a hash, and proves on request that nothing was changed',
  requires: { clock: Clock, random: Random, self: NodeSelf },
  provides: [FactChain],
  declares: [CHAIN_PROOF, ...Object.values(words)],
  migrations: factChainMigrations,
  async setup({ use, tables, on, every, provide }) {
    const parts = { ...use, tables };
    const chain: FactChain = {
      async prove(caller, facts) {
        requirePermission(caller, MAY_PROVE);
        return proveChain(caller.tenantId, facts, parts);
      },
    };
    provide(FactChain, chain);
    const check = createChainCheck(tables);
    on(storeChecks, () => check);
    // Starts with all tenants: another process may have imported facts, or stored facts while the plugin was off.
    const ends = await tables.read((_own, snapshot) => snapshot.ledgerEnds());
    const written = new Set(ends.map(({ tenantId }) => tenantId));
    on(appendLink, ({ facts, tenantId, head, transaction }) => {
      written.add(tenantId);
      if (isLinked(head)) return linkNew(facts, head.linked?.link ?? null);
      return linkBacklog(tenantId, head, transaction).then((link) =>
        link === null ? undefined : linkNew(facts, link),
      );
    });
    every(VERIFY_INTERVAL_MS, async () => {
      for (const tenantId of [...written]) {
        // Deletes the entry before the work, so that a broken chain does not block the other tenants.
        written.delete(tenantId);
        try {
          const { isComplete } = await advanceCheckpoint(tenantId, [], parts);
          if (!isComplete) written.add(tenantId);
        } catch (error) {
          if (!(await isLedgerErased(tables, tenantId))) throw error;
        }
      }
    });
    on(recallAnswer, async ({ caller, chosen, verify }) => {
      if (!verify || !hasPermission(caller, MAY_PROVE)) return undefined;
      // Verifies facts that the answer leaves out as well: a fact that was tampered with is left out, but the proof
      // must fail.
      const facts = chosen.map(({ fact }) => fact);
      return { members: { [CHAIN_PROOF.id]: await chain.prove(caller, facts) } };
    });
  },
});
