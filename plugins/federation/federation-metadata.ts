import type { FederationSettings } from './federation-settings.ts';

/** Of the exchange between nodes, not of the program. */
const FEDERATION_VERSION = '0.5';

/** What the metadata document says of federation. */
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
