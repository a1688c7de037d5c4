import { objectSchema } from '../../../kernel/internal-api.ts';
import type { Route } from '../../../kernel/plugin-api.ts';
import { FEDERATE, type KeyRegistry } from '../../keys/keys-api.ts';
import type { PeerLags } from '../federation-api.ts';
import { PEER_LAG_JSON, peerLagJson } from './peer-lag-json.ts';

/** `GET /v1/federation/peers/{peer_id}/lag` returns the progress of the exchange with a peer. */
export const lagRoute = (lags: PeerLags, keys: KeyRegistry | undefined): Route<{ peer_id: string }> => ({
  method: 'GET',
  path: '/v1/federation/peers/:peer_id/lag',
  summary: 'How far this node and a peer have read from each other, and what keeps them',
  // This permission exists only with the plugin keys; the use case checks the caller in both cases.
  access: { permission: keys === undefined ? 'any' : FEDERATE },
  params: objectSchema<{ peer_id: string }>({ peer_id: { type: 'string' } }),
  answers: { 200: { json: PEER_LAG_JSON } },
  example: { params: { peer_id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' } },
  async handle({ caller, params }) {
    return { status: 200, body: peerLagJson(await lags.of(caller, params.peer_id)) };
  },
});
