import { isIn, type PluginSnapshot, ServiceError, type StoredFact } from '../../kernel/plugin-api.ts';
import { type ChainHead, type ChainLink, eventHash, linkHash } from './chain-link.ts';
import { FACT_CHAIN_MISMATCH } from './fact-chain-words.ts';

/** Hashes links and their facts again, from `head` on. Returns the new head. Throws `fact_chain_mismatch` (409). */
export const verifyLinks = async (
  links: readonly ChainLink[],
  head: ChainHead,
  snapshot: PluginSnapshot,
): Promise<ChainHead> => {
  const ids = links.map(({ factId }) => factId);
  const found = await snapshot.find({ filter: isIn('id', ids), order: 'feed', limit: ids.length });
  const facts = new Map(found.map((fact) => [fact.id, fact]));
  let verified = head;
  for (const link of links) {
    if (link.seq !== verified.seq + 1) throw mismatch('a link is missing', link);
    if (linkHash(link, verified.hash) !== link.hash) throw mismatch('a link was changed', link);
    verifyFact(link, facts.get(link.factId));
    verified = link;
  }
  return verified;
};

/**
 * Verifies the links of facts that a caller is about to see. A new fact may have no link yet; it comes with the rest of
 * the chain.
 */
export const verifyFacts = (facts: readonly StoredFact[], links: ReadonlyMap<string, ChainLink>): void => {
  for (const fact of facts) {
    const link = links.get(fact.id);
    if (link !== undefined) verifyFact(link, fact);
  }
};

const verifyFact = (link: ChainLink, fact: StoredFact | undefined): void => {
  if (fact === undefined) throw mismatch('a fact is missing', link);
  if (eventHash(fact) !== link.eventHash) throw mismatch('a fact was changed', link);
};

const mismatch = (reason: string, { factId, seq }: ChainLink): ServiceError =>
  new ServiceError(FACT_CHAIN_MISMATCH, `the chain of facts is broken at link ${seq}: ${reason}`, {
    hint: 'the store was changed from outside; compare it with a backup or a peer',
    members: { mismatch_reason: reason, fact_id: factId, chain_seq: seq },
  });
