import type { AuditEvent } from '../../audit/audit-api.ts';
import { FEDERATION_INTEGRITY_REJECTED } from '../../facts/facts-api.ts';
import {
  ID_COLLISION,
  PEER_HLC_ANOMALY,
  REJECTED_FACT,
  SCOPE_VIOLATION,
  VALID_UNTIL_EXTENSION_REJECTED,
} from '../federation-events.ts';
import type { FederationEvent } from '../peerings/federation-log.ts';
import type { Peering } from '../peerings/peering.ts';
import type { Rejection } from './ingest.ts';

const EVENTS: Partial<Record<Rejection, AuditEvent>> = {
  scope_not_permitted: SCOPE_VIOLATION,
  id_collision: ID_COLLISION,
  hlc_skew: PEER_HLC_ANOMALY,
  cid_mismatch: FEDERATION_INTEGRITY_REJECTED,
  invalid_origin_proof: FEDERATION_INTEGRITY_REJECTED,
};

type About = Pick<FederationEvent, 'tenantId' | 'peerId' | 'nodeId'>;

const aboutPeer = ({ tenantId, peerId, nodeId }: Peering): About => ({ tenantId, peerId, nodeId });

export const rejectionEvent = (peering: Peering, factId: string, error: Rejection): FederationEvent => ({
  ...aboutPeer(peering),
  event: EVENTS[error] ?? REJECTED_FACT,
  detail: { fact_id: factId, error },
});

export const extensionEvent = (peering: Peering, factId: string): FederationEvent => ({
  ...aboutPeer(peering),
  event: VALID_UNTIL_EXTENSION_REJECTED,
  detail: { fact_id: factId },
});
