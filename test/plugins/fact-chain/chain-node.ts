import { valueCommitment } from '../../../kernel/internal-api.ts';
import { equals, type LedgerEntry, type Principal, type StoredFact, sha256Hex } from '../../../kernel/plugin-api.ts';
import { FactChain } from '../../../plugins/fact-chain/fact-chain-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import type { TestNode } from '../../kit/start-test-node.ts';

export const CHAINED = ['keys', 'multi-tenant', 'facts', 'conflicts', 'fact-chain'];
export const UNCHAINED = ['keys', 'multi-tenant', 'facts', 'conflicts'];

export const auditorOf = (tenantId = 'default'): Principal =>
  createPrincipal({ permissions: new Set(['audit.read']), tenantId });

export type Proof = Readonly<Record<string, unknown>> & {
  readonly checked_entries: number;
  readonly head_hash: string;
  readonly checkpoint: Readonly<Record<string, unknown>>;
};

export const prove = async (
  node: TestNode,
  tenantId?: string,
  shown: readonly StoredFact[] = [],
): Promise<Proof | null> => (await node.kernel.get(FactChain).prove(auditorOf(tenantId), shown)) as Proof | null;

/** Asserts facts and returns their ids. */
export const assertFacts = async (
  node: TestNode,
  key: string,
  values: readonly unknown[],
  entity = 'user:a',
): Promise<string[]> => {
  const body = values.map((v, at) => ({
    entity: `${entity}-${at}`,
    relation: 'memory:n',
    value: { type: typeof v, v },
    source: 'agent:s',
  }));
  const reply = await node.request('POST', '/v1/facts/batch', { key, body });
  return reply.body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
};

export const ledgerOf = (node: TestNode, tenantId = 'default'): Promise<LedgerEntry[]> =>
  node.kernel.get(FactStore).read((snapshot) => snapshot.ledger({ tenantId, order: 'oldest', limit: 10_000 }));

export const storedFacts = (node: TestNode, tenantId = 'default'): Promise<StoredFact[]> =>
  node.kernel
    .get(FactStore)
    .read((snapshot) => snapshot.find({ filter: equals('tenantId', tenantId), order: 'feed', limit: 10_000 }));

/** Erases the values of facts, in the way of a plugin. */
export const eraseFacts = (node: TestNode, ids: readonly string[], tenantId = 'default'): Promise<void> =>
  node.kernel.get(FactStore).write(tenantId, async (transaction) => {
    const entries = await transaction.ledger({ tenantId, order: 'oldest', limit: 10_000 });
    const facts = await transaction.find({ filter: equals('tenantId', tenantId), order: 'feed', limit: 10_000 });
    const values = new Map(facts.map(({ id, value }) => [id, value]));
    await transaction.erase(
      entries.flatMap(({ factId, salt }) => {
        const value = values.get(factId);
        if (!ids.includes(factId) || salt === null || value === undefined) return [];
        return [{ id: factId, commitment: valueCommitment(salt, value) }];
      }),
    );
  });

export const hashText = (bytes: Uint8Array): string => `sha256:${Buffer.from(bytes).toString('hex')}`;

/** Computes the hash of a link by the documented rule. */
export const documentedHash = (
  fact: StoredFact,
  { salt, commitment }: Pick<LedgerEntry, 'salt' | 'commitment'>,
  { seq, previous }: { readonly seq: number; readonly previous: string | null },
): string => {
  if (salt === null && commitment === null) throw new Error('there is neither salt nor commitment');
  const event = {
    confidence: fact.confidence,
    entity: fact.entity,
    fact_id: fact.id,
    relation: fact.relation,
    scope: fact.scope,
    source: fact.source,
    tenant_id: fact.tenantId,
    value_commitment: hashText(salt === null ? (commitment as Uint8Array) : valueCommitment(salt, fact.value)),
  };
  const tie = {
    chain_seq: seq,
    created_at: new Date(fact.feed.wallMs).toISOString(),
    event_hash: `sha256:${sha256Hex(JSON.stringify(event))}`,
    fact_id: fact.id,
    previous_hash: previous,
    tenant_id: fact.tenantId,
  };
  return `sha256:${sha256Hex(JSON.stringify(tie))}`;
};
