import { matchKey, type NodeSelf, type PeerSpeaker } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { Candidate } from './ingest.ts';
import { createOwnNames, type OwnNames } from './own-names.ts';

export interface SpeakerParts {
  readonly self: NodeSelf;
  readonly own: OwnNames;
  readonly peerings: Pick<Peerings, 'withNodes'>;
}

/**
 * Determines the node that each fact of one page comes from. Looks up the address of each node at most once, on demand.
 */
export const createPeerSpeakers = (
  sender: Peering,
  { self, own, peerings }: SpeakerParts,
): ((candidate: Candidate) => PeerSpeaker) => {
  const known = new Map<string, PeerSpeaker>();
  const namesOf = async (nodeId: string): Promise<OwnNames> => {
    if (own.isOwnNode(nodeId)) return own;
    const found = nodeId === sender.nodeId ? sender : [...(await peerings.withNodes([nodeId])).values()][0];
    // Ignores an address that another tenant registered for the node.
    const authority = found?.tenantId === sender.tenantId ? new URL(found.nodeUrl).host : null;
    return createOwnNames({ names: self.names, nodeId, authority });
  };
  const speakerOf = (nodeId: string): PeerSpeaker => {
    let names: Promise<OwnNames> | undefined;
    return {
      nodeId,
      async speaksFor(source) {
        names ??= namesOf(nodeId);
        return (await names).isOwnSource(source);
      },
    };
  };
  return ({ fact, proof }) => {
    const nodeId = proof === 'verified' ? (fact.originNodeId ?? sender.nodeId) : sender.nodeId;
    const key = matchKey(nodeId, self.names);
    const speaker = known.get(key) ?? speakerOf(nodeId);
    known.set(key, speaker);
    return speaker;
  };
};
