import type { FederationSettings } from './federation-settings.ts';

/** The version of the protocol between nodes. */
const FEDERATION_VERSION = '0.5';

/** Returns the federation part of the metadata document. */
export const federationMetadata = ({
  enabled,
  pushEnabled,
}: Pick<FederationSettings, 'enabled' | 'pushEnabled'>): Readonly<Record<string, unknown>> => {
  if (!enabled) return {};
  return {
    federation: 'enabled',
    federation_version: FEDERATION_VERSION,
    federation_endpoints: {
      peers: '/v1/federation/peers',
      facts: '/v1/federation/facts',
      push: pushEnabled ? '/v1/federation/facts/push' : null,
    },
  };
};
