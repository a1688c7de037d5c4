import { parseStrictJson } from '../../../kernel/internal-api.ts';
import { matchKey, type NodeSelf, ServiceError, type Transport } from '../../../kernel/plugin-api.ts';
import type { PeerExchange, PeerReply } from '../federation-api.ts';
import type { FederationSettings } from '../federation-settings.ts';
import { inboundScopes } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { refusalText, TOKEN_REFUSED } from '../pulling/fetch-page.ts';
import type { PeerTokens } from '../tokens/peer-tokens.ts';
import { eligibleFor } from './eligible-facts.ts';
import { federationDisabled } from './pull-route.ts';

export interface ExchangeParts {
  readonly settings: Pick<FederationSettings, 'enabled' | 'insecure'>;
  readonly self: NodeSelf;
  readonly transport: Pick<Transport, 'send'>;
  readonly peerings: Pick<Peerings, 'get' | 'withNodes' | 'refreshKeys'>;
  readonly tokens: Pick<PeerTokens, 'mint' | 'callerOf'>;
}

const TIMEOUT_MS = 30_000;

export const createPeerExchange = (parts: ExchangeParts): PeerExchange => {
  const { settings, self, peerings, tokens } = parts;
  return {
    isEnabled: settings.enabled,
    callerOf(principal) {
      const { peering } = tokens.callerOf(principal);
      if (!settings.enabled) throw federationDisabled();
      return peering;
    },
    eligibleFor: ({ nodeId }, scopes) => eligibleFor({ nodeId, scopes }, self.nodeId),
    async find(tenantId, peerId) {
      const peering = await peerings.get(peerId);
      return peering?.tenantId === tenantId ? peering : undefined;
    },
    async withNodes(tenantId, nodeIds) {
      const found = await peerings.withNodes(tenantId, nodeIds);
      return new Map([...found.values()].map((peering) => [matchKey(peering.nodeId, self.names), peering]));
    },
    refreshKeys: (peering) => peerings.refreshKeys(peering),
    ask: (peering, target, options) => ask(parts, peering, target, options),
  };
};

const ask = async (
  { transport, tokens, settings }: ExchangeParts,
  peering: Parameters<PeerExchange['ask']>[0],
  target: string,
  { headers = {}, maxBytes }: Parameters<PeerExchange['ask']>[2],
): Promise<PeerReply> => {
  try {
    const reply = await transport.send({
      method: 'GET',
      url: `${peering.nodeUrl}${target}`,
      headers: {
        ...headers,
        Authorization: `Bearer ${tokens.mint(peering, [...inboundScopes(peering)])}`,
        Accept: 'application/json',
      },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: maxBytes,
      allowPrivate: settings.insecure,
      purpose: 'peer',
    });
    if (reply.status !== 200) return failed(refusalText(reply.status, HINTS));
    return { kind: 'document', document: parseStrictJson(reply.body, 'reply') };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failed(
      error.code === 'unavailable'
        ? 'the peer did not reply, or not within the limits of time and size'
        : 'the peer sent no JSON document',
    );
  }
};

const HINTS: Readonly<Record<number, string>> = {
  401: TOKEN_REFUSED,
  403: 'federation may be off there, or the capability token has ended or covers no scope of the peering',
};

const failed = (reason: string): PeerReply => ({ kind: 'failed', reason });
