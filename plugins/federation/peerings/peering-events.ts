import { PEER_APPROVED } from '../federation-events.ts';
import type { FederationEvent } from './federation-log.ts';
import type { StoredPeering } from './peer-row.ts';

/** Creates a log entry about a node, with the id of the node in its detail. */
export const peerEvent = (
  event: FederationEvent['event'],
  { tenantId, peerId, nodeId }: Pick<FederationEvent, 'tenantId' | 'peerId'> & { readonly nodeId: string },
  detail: FederationEvent['detail'] = {},
): FederationEvent => ({ tenantId, peerId, nodeId, event, detail: { node_id: nodeId, ...detail } });

/** Returns the event to record if a peering has become active; otherwise none. */
export const approvalOf = (
  before: Pick<StoredPeering, 'status'>,
  after: StoredPeering,
  by: string,
): readonly FederationEvent[] => {
  if (after.status !== 'active' || before.status === 'active') return [];
  const scopes = { outbound: scopesOf(after.ours), inbound: scopesOf(after.theirs) };
  return [peerEvent(PEER_APPROVED, after, { by, ...scopes })];
};

const scopesOf = (declaration: StoredPeering['ours']): string => declaration?.scopes.join(' ') ?? '';
