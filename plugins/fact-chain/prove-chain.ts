import type { Checkpoint } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type NodeSelf,
  type PluginTables,
  type Random,
  type StoredFact,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { chainProofJson } from './chain-proof-json.ts';
import { isLinked, linkBacklog } from './extend-chain.ts';
import { CHECKPOINTS } from './fact-chain-tables.ts';
import { verifyLinks, verifyShown } from './verify-links.ts';

/** The maximum number of links that one call hashes, in about 50 ms. The next call or the background task continues. */
export const LINKS_PER_PROOF = 2_000;

export interface ProofParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
}

export interface Advance {
  /** The newest checkpoint. Undefined while the tenant has no links. */
  readonly checkpoint: Checkpoint | undefined;
  /** True if every fact has a link and every link is verified. */
  readonly isComplete: boolean;
}

/**
 * Links facts without a link, and verifies the shown facts and at most `LINKS_PER_PROOF` links after the newest
 * checkpoint. Stores a new checkpoint if it has verified more links.
 */
export const advanceCheckpoint = async (
  tenantId: string,
  shown: readonly StoredFact[],
  { tables, clock, random }: ProofParts,
): Promise<Advance> => {
  await linkRest(tenantId, tables);
  const { last, head, place } = await tables.read(async (own, snapshot) => {
    const last = await CHECKPOINTS.newest(own, tenantId);
    const head = await snapshot.ledgerHead(tenantId);
    await verifyShown(shown, { tenantId, head }, snapshot);
    const place = await verifyLinks({ tenantId, from: last, head, limit: LINKS_PER_PROOF }, snapshot);
    return { last, head, place };
  });
  const isComplete = isLinked(head) && place?.number === head.linked?.number;
  if (place === undefined || place.link.seq === last?.link.seq) return { checkpoint: last, isComplete };
  const id = `chaincp_${random.uuid().replaceAll('-', '')}`;
  return { checkpoint: await CHECKPOINTS.add(tables, tenantId, place, { id, nowMs: clock.nowMs() }), isComplete };
};

/**
 * Links facts that were stored while the plugin was off. Checks for them before it writes, because there are seldom
 * any.
 */
const linkRest = async (tenantId: string, tables: PluginTables): Promise<void> => {
  if (await tables.read(async (_own, snapshot) => isLinked(await snapshot.ledgerHead(tenantId)))) return;
  await tables.write(tenantId, async (_own, transaction) => {
    const head = await transaction.ledgerHead(tenantId);
    if (!isLinked(head)) await linkBacklog(tenantId, head, transaction);
  });
};

/** Implements `FactChain.prove`. */
export const proveChain = async (tenantId: string, shown: readonly StoredFact[], parts: ProofParts) => {
  const { checkpoint } = await advanceCheckpoint(tenantId, shown, parts);
  if (checkpoint === undefined) return null;
  const { names, nodeId } = parts.self;
  return chainProofJson(checkpoint, names, sha256Hex(`${nodeId} ${tenantId}`));
};
