import {
  Clock,
  definePlugin,
  factAppended,
  hasPermission,
  KERNEL_API,
  NodeSelf,
  Random,
  requirePermission,
} from '../../kernel/plugin-api.ts';
import { AUDIT_READ } from '../audit/audit-api.ts';
import { recallAnswer } from '../recall/recall-api.ts';
import { CHAIN_PROOF } from './chain-proof-json.ts';
import { ChainStore } from './chain-store.ts';
import { FactChain } from './fact-chain-api.ts';
import { factChainMigrations } from './fact-chain-migrations.ts';
import * as words from './fact-chain-words.ts';
import { advanceCheckpoint, proveChain } from './prove-chain.ts';

/** A proof counts every fact of the tenant, also those that other callers may not see. */
const MAY_PROVE = ['admin', AUDIT_READ] as const;

/** A proof seldom has much to hash at this interval, and the interval costs nothing. */
const VERIFY_INTERVAL_MS = 10_000;

export const factChainPlugin = definePlugin({
  name: 'fact-chain',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Ties every fact to the one before it by a hash, and proves on request that nothing was changed',
  requires: { clock: Clock, random: Random, self: NodeSelf },
  provides: [FactChain],
  declares: [CHAIN_PROOF, ...Object.values(words)],
  migrations: factChainMigrations,
  setup({ use, tables, on, every, provide }) {
    const store = new ChainStore(tables);
    const parts = { ...use, tables, store };
    const chain: FactChain = {
      async prove(caller, facts) {
        requirePermission(caller, MAY_PROVE);
        return proveChain(caller.tenantId, facts, parts);
      },
    };
    provide(FactChain, chain);
    const written = new Set<string>();
    on(factAppended, async ({ facts, transaction, nowMs }) => {
      await store.extend(
        facts.map(({ fact }) => fact),
        transaction,
        nowMs,
      );
      for (const { fact } of facts) written.add(fact.tenantId);
      return undefined;
    });
    every(VERIFY_INTERVAL_MS, async () => {
      for (const tenantId of [...written]) {
        written.delete(tenantId);
        await tables.write(tenantId, (_own, transaction) => store.catchUp(tenantId, transaction, use.clock.nowMs()));
        await advanceCheckpoint(tenantId, [], parts);
      }
    });
    on(recallAnswer, async ({ caller, chosen, verify }) => {
      if (!verify || !hasPermission(caller, MAY_PROVE)) return undefined;
      // An answer leaves out a fact that was changed behind the node's back. The chain is broken all the same.
      const facts = chosen.map(({ fact }) => fact);
      return { members: { [CHAIN_PROOF.id]: await chain.prove(caller, facts) } };
    });
  },
});
