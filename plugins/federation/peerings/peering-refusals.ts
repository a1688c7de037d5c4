import { ServiceError } from '../../../kernel/plugin-api.ts';
import { FEDERATION_DISABLED, INVALID_SIGNATURE, KEY_MISMATCH, STALE_DECLARATION } from '../federation-words.ts';
import type { ReadDeclaration } from './declaration.ts';
import { MAX_PEERS_PER_TENANT } from './peer-store.ts';
import type { Verification } from './verify-peer.ts';

/** Errors for callers whose peering cannot be made or changed. */

export const federationDisabled = (): ServiceError =>
  new ServiceError(FEDERATION_DISABLED, 'federation is switched off on this node', {
    hint:
      'set SVC_FEDERATION_ENABLED=true, and SVC_NODE_URL to the https address of the node, for the node and for its ' +
      'commands, and start the node again; two nodes on one machine need SVC_FEDERATION_INSECURE=true besides',
  });

export const unverified = (kind: Verification['kind'], why: string, hint?: string): ServiceError =>
  kind === 'other-key'
    ? new ServiceError(KEY_MISMATCH, `the peer has another key than before: ${why}`, {
        hint: 'ask the operator of the peer; when the new key is right, revoke the peering and post the declaration again',
      })
    : new ServiceError(
        INVALID_SIGNATURE,
        `the declaration could not be verified: ${why}`,
        hint === undefined ? {} : { hint },
      );

export const wrongAddress = (message: string): ServiceError =>
  new ServiceError('validation', `body.node_url ${message}`, { violations: [{ path: 'body.node_url', message }] });

export const refuseStale = ({ signedMs }: ReadDeclaration, floorMs: number | null): void => {
  if (floorMs === null || signedMs > floorMs) return;
  throw new ServiceError(STALE_DECLARATION, 'a declaration that was signed at the same time or later is on file', {
    hint: 'if this declaration was added before, nothing is left to do; otherwise sign it again',
  });
};

export const noSuchPeer = (): ServiceError => new ServiceError('lookup', 'no such peer');

export const tooMany = (): ServiceError =>
  new ServiceError('limit_reached', `a tenant has at most ${MAX_PEERS_PER_TENANT} peers`);

export const revokedMeanwhile = (): ServiceError =>
  new ServiceError('conflict', 'the peering was revoked at the same time', { hint: 'post the declaration again' });
