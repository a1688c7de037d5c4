import {
  type Clock,
  type NodeSelf,
  type PluginTables,
  type Random,
  type StoredFact,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { ChainHead } from './chain-link.ts';
import { chainProofJson } from './chain-proof-json.ts';
import type { ChainStore } from './chain-store.ts';
import { addCheckpoint, type Checkpoint, headOf, newestCheckpoint } from './checkpoints.ts';
import { verifyFacts, verifyLinks } from './verify-links.ts';

/** Most links that one call hashes, in some 50 ms. The next call and the background go on from there. */
export const LINKS_PER_PROOF = 2_000;

export interface ProofParts {
  readonly tables: PluginTables;
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
}

/**
 * Verifies from the newest checkpoint on, and stores how far it came. Returns undefined while the tenant has no links.
 */
export const advanceCheckpoint = async (
  tenantId: string,
  facts: readonly StoredFact[],
  { tables, store, clock, random }: ProofParts,
): Promise<Checkpoint | undefined> => {
  const { last, head } = await tables.read(async (_own, snapshot) => {
    const last = await newestCheckpoint(tables, tenantId, snapshot);
    const links = await store.after(snapshot, tenantId, headOf(last).seq, LINKS_PER_PROOF);
    if (facts.length > 0) verifyFacts(facts, await store.ofFacts(snapshot, facts));
    const head: ChainHead = links.length === 0 ? headOf(last) : await verifyLinks(links, headOf(last), snapshot);
    return { last, head };
  });
  const { seq, hash } = head;
  if (hash === null || seq === last?.seq) return last;
  const id = `chaincp_${random.uuid().replaceAll('-', '')}`;
  return addCheckpoint(tables, tenantId, { seq, hash }, { id, nowMs: clock.nowMs() });
};

/** See `FactChain.prove`. */
export const proveChain = async (tenantId: string, facts: readonly StoredFact[], parts: ProofParts) => {
  const checkpoint = await advanceCheckpoint(tenantId, facts, parts);
  if (checkpoint === undefined) return null;
  const { names, nodeId } = parts.self;
  return chainProofJson(checkpoint, names, sha256Hex(`${nodeId} ${tenantId}`));
};
