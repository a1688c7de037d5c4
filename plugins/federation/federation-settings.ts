import { objectSchema } from '../../kernel/internal-api.ts';

/** The schema below describes each setting. */
export interface FederationSettings {
  readonly enabled: boolean;
  readonly pushEnabled: boolean;
  readonly pullIntervalS: number;
  readonly cid: 'seed' | 'omit';
  readonly insecure: boolean;
  readonly requireProof: boolean;
  readonly nonceWindowS: number;
  readonly tokenLeewayS: number;
  readonly maxFactsPerDay: number;
}

const DAY_S = 86_400;

export const federationSettings = objectSchema<FederationSettings>({
  enabled: {
    type: 'boolean',
    default: false,
    env: 'SVC_FEDERATION_ENABLED',
    description: 'whether facts are exchanged with peers; the routes are there either way',
  },
  pushEnabled: {
    type: 'boolean',
    default: true,
    env: 'SVC_FEDERATION_PUSH_ENABLED',
    description: 'whether peers may push facts, while federation is on',
  },
  pullIntervalS: {
    type: 'integer',
    minimum: 1,
    maximum: DAY_S,
    default: 30,
    env: 'SVC_FEDERATION_PULL_INTERVAL_S',
    description: 'how often each peer is asked for new facts, in seconds',
  },
  cid: {
    type: 'string',
    enum: ['seed', 'omit'],
    default: 'seed',
    env: 'SVC_FEDERATION_CID',
    description: 'seed: facts are sent with their content id; omit: without it, for peers that compute another form',
  },
  insecure: {
    type: 'boolean',
    default: false,
    env: 'SVC_FEDERATION_INSECURE',
    description: 'lets peers be reached by plain http and at private addresses; for tests and closed networks',
  },
  requireProof: {
    type: 'boolean',
    default: false,
    env: 'SVC_FEDERATION_REQUIRE_PROOF',
    description: 'whether relayed facts without a valid proof of their origin are refused',
  },
  nonceWindowS: {
    type: 'integer',
    minimum: 1,
    maximum: DAY_S,
    default: 300,
    env: 'SVC_FEDERATION_NONCE_WINDOW_S',
    description: 'how long the nonce of a peer token is remembered at least, in seconds',
  },
  tokenLeewayS: {
    type: 'integer',
    minimum: 0,
    maximum: 3_600,
    default: 30,
    env: 'SVC_PEER_TOKEN_LEEWAY_S',
    description: 'how far the clocks of peers may differ when their tokens are checked, in seconds',
  },
  maxFactsPerDay: {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000_000,
    description: 'how many new facts one peer may bring within a day; 0: any number',
  },
});
