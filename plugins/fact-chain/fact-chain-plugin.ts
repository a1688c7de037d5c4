import { Clock, definePlugin, factAppended, KERNEL_API, NodeSelf, Random } from '../../kernel/plugin-api.ts';
import { ChainStore } from './chain-store.ts';
import { FactChain } from './fact-chain-api.ts';
import { factChainMigrations } from './fact-chain-migrations.ts';
import * as words from './fact-chain-words.ts';
import { advanceCheckpoint, proveChain } from './prove-chain.ts';

/** Often enough that a proof seldom has much to hash, seldom enough to cost nothing. */
const VERIFY_INTERVAL_MS = 10_000;

export const factChainPlugin = definePlugin({
  name: 'fact-chain',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Ties every fact to the one before it by a hash, and proves on request that nothing was changed',
  requires: { clock: Clock, random: Random, self: NodeSelf },
  provides: [FactChain],
  declares: Object.values(words),
  migrations: factChainMigrations,
  setup({ use, tables, on, every, provide }) {
    const store = new ChainStore(tables);
    const parts = { ...use, tables, store };
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
    provide(FactChain, { prove: (tenantId, facts) => proveChain(tenantId, facts, parts) });
  },
});
