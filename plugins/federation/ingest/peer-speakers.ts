import { matchKey, type NodeSelf, type PeerSpeaker } from '../../../kernel/plugin-api.ts';
import { mayEndOthers, type Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import type { Candidate } from './ingest.ts';
import { createOwnNames, type OwnNames } from './own-names.ts';

export interface SpeakerParts {
  readonly self: NodeSelf;
  readonly own: OwnNames;
  readonly peerings: Pick<Peerings, 'withNodes'>;
}

/** Determines which node asserted each fact of one page. Reads the peerings of all these nodes at once. */
export const readPeerSpeakers = async (
  candidates: readonly Candidate[],
  sender: Peering,
  { self, own, peerings }: SpeakerParts,
): Promise<(candidate: Candidate) => PeerSpeaker> => {
  const keyOf = (nodeId: string): string => matchKey(nodeId, self.names);
  const found = new Map([[keyOf(sender.nodeId), sender]]);
  const nodeIds = new Map(candidates.map((candidate) => speakerId(candidate, sender)).map((id) => [keyOf(id), id]));
  const others = [...nodeIds].flatMap(([key, id]) => (found.has(key) || own.isOwnNode(id) ? [] : [id]));
  if (others.length > 0) {
    for (const peering of (await peerings.withNodes(sender.tenantId, others)).values()) {
      found.set(keyOf(peering.nodeId), peering);
    }
  }
  const speakers = new Map<string, PeerSpeaker>();
  return (candidate) => {
    const nodeId = speakerId(candidate, sender);
    const { originNodeId } = candidate.fact;
    const isOwn = own.isOwnNode(nodeId);
    // Without a proof, several senders may name the same origin. Facts from one of them must not end facts from
    // another.
    const isPassedOn = candidate.proof !== 'verified' && originNodeId !== null && keyOf(originNodeId) !== keyOf(nodeId);
    const key = isPassedOn ? `${keyOf(nodeId)} ${keyOf(originNodeId)}` : keyOf(nodeId);
    const known = speakers.get(key);
    if (known !== undefined) return known;
    const peering = found.get(keyOf(nodeId));
    const names = isOwn ? own : namesOf(nodeId, peering, self);
    const speaker: PeerSpeaker = {
      nodeId,
      key: isOwn ? null : key,
      mayEndOthers: isOwn || (!isPassedOn && peering !== undefined && mayEndOthers(peering)),
      speaksFor: async (source) => names.isOwnSource(source),
    };
    speakers.set(key, speaker);
    return speaker;
  };
};

/**
 * Returns the names of a node. It has no address while only this node has declared the peering and the other node's id
 * contains no host.
 */
const namesOf = (nodeId: string, peering: Peering | undefined, { names }: NodeSelf): OwnNames => {
  const authority = URL.canParse(peering?.nodeUrl ?? '') ? new URL(peering?.nodeUrl ?? '').host : null;
  return createOwnNames({ names, nodeId, authority });
};

const speakerId = ({ fact, proof }: Candidate, sender: Peering): string =>
  proof === 'verified' ? (fact.originNodeId ?? sender.nodeId) : sender.nodeId;
