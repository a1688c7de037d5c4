import { all, equals, type Filter, NodeSelf, nodePrincipal, type StoredFact } from '../../kernel/plugin-api.ts';
import type { TestNode } from './start-test-node.ts';

/** Returns the facts of a node that may be copied to another one, in feed order. */
export const carriableFacts = (from: TestNode, filter: Filter): Promise<StoredFact[]> =>
  from.facts.read(nodePrincipal(from.kernel.get(NodeSelf).names), 'export', (reader) =>
    reader.find(all(filter, equals('system', false)), { view: 'visible', order: 'feed', limit: 1_000_000 }),
  );

/**
 * Stores facts of one node on another as replication does, in one transaction, with their identifiers and stamps. Known
 * facts change nothing.
 */
export const carryFacts = async (from: TestNode, facts: readonly StoredFact[], to: TestNode): Promise<void> => {
  const { nodeId } = from.kernel.get(NodeSelf);
  const drafts = facts.map((fact) => ({ ...fact, receivedFrom: nodeId, originNodeId: fact.originNodeId ?? nodeId }));
  const caller = nodePrincipal(to.kernel.get(NodeSelf).names);
  const verdicts = await to.facts.appendAll(drafts, caller, { origin: 'peer', exclusive: true });
  const refused = verdicts.find(({ kind }) => kind === 'rejected');
  if (refused?.kind === 'rejected') throw refused.error;
};
