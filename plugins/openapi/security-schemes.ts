import type { DescribedRoute } from '../../kernel/internal-api.ts';
import type { ApiOperation, SecurityScheme } from './api-document.ts';

type Schemes = Readonly<Record<string, SecurityScheme>>;

export const KEY: Schemes = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key, as a bearer token.' },
};

export const PEER_TOKEN: Schemes = {
  peerToken: { type: 'http', scheme: 'bearer', description: 'A token that another node has signed for this request.' },
};

/** The scheme of a credential in a separate header. */
export const schemeOfHeader = (header: string): Schemes => ({
  [schemeName(header)]: {
    type: 'apiKey',
    in: 'header',
    name: header,
    description: 'A credential beside the one in Authorization.',
  },
});

/** Returns the credentials that a caller must send, all of them. */
export const securityOf = ({ access, headers }: DescribedRoute): ApiOperation['security'] => {
  if (access === 'open') return [];
  const presented = Object.keys(headers).filter((name) => headers[name]?.isCredential === true);
  const schemes = [access === 'peer' ? 'peerToken' : 'key', ...presented.map(schemeName)];
  return [Object.fromEntries(schemes.map((name) => [name, [] as const]))];
};

const schemeName = (header: string): string => header.toLowerCase();
