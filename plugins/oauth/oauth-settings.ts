import { objectSchema } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** The schema below describes each setting. */
export interface OAuthSettings {
  readonly enabled: boolean;
  readonly insecure: boolean;
  readonly registration: boolean;
  readonly accessTokenMinutes: number;
  readonly maxGrantDays: number;
}

export const oauthSettings = objectSchema<OAuthSettings>({
  enabled: {
    type: 'boolean',
    default: false,
    env: 'SVC_OAUTH_ENABLED',
    description: 'whether remote clients get access by the consent of a person; needs an https address of the node',
  },
  insecure: {
    type: 'boolean',
    default: false,
    env: 'SVC_OAUTH_INSECURE',
    description: 'allows a plain http address of the node, and private addresses of metadata documents; for tests',
  },
  registration: {
    type: 'boolean',
    default: true,
    env: 'SVC_OAUTH_REGISTRATION',
    description: 'whether clients without a metadata document may register themselves (RFC 7591)',
  },
  accessTokenMinutes: {
    type: 'integer',
    minimum: 1,
    maximum: 1_440,
    default: 60,
    env: 'SVC_OAUTH_ACCESS_TOKEN_MINUTES',
    description: 'life of an access token, in minutes',
  },
  maxGrantDays: {
    type: 'integer',
    minimum: 1,
    maximum: 365,
    default: 90,
    env: 'SVC_OAUTH_MAX_GRANT_DAYS',
    description: 'longest time for which a person can give access, in days',
  },
});

/** Throws `validation` for settings that cannot work with this address. */
export const checkOAuthSettings = ({ enabled, insecure }: OAuthSettings, nodeUrl: string): void => {
  if (!enabled) return;
  if (!insecure && !nodeUrl.startsWith('https:')) {
    throw new ServiceError('validation', 'oauth is on, and clients would send their tokens by plain http', {
      hint: 'set SVC_NODE_URL to the https address of the node, or, for a test, SVC_OAUTH_INSECURE=true',
    });
  }
  // Clients look for the metadata at the root of the host. Below another path, pages of other programs on the host
  // could fill in the node's forms.
  if (new URL(nodeUrl).pathname !== '/') {
    throw new ServiceError('validation', 'oauth is on, and the address of the node has a path', {
      hint: 'give the node a host name of its own in SVC_NODE_URL',
    });
  }
};
