import { type InboundRequest, ServiceError } from '../../ports/ports.ts';
import { isLoopbackHost } from '../net/loopback-host.ts';

export interface OwnAddresses {
  /** The address under which others reach the node. */
  readonly nodeUrl: string;
  /** Returns whether pages of this origin may call the node. */
  allowsOrigin(origin: string): boolean;
}

/**
 * For a node without keys: throws `authorization` for a request of a foreign page. A page can point its own name at
 * this machine (DNS rebinding); the browser then sends that name as `Host`. It can also send requests without reading
 * the answer, which carry its `Origin`. A request with neither header comes from no browser.
 */
export const createForeignPageCheck = ({
  nodeUrl,
  allowsOrigin,
}: OwnAddresses): ((request: InboundRequest) => void) => {
  const own = new URL(nodeUrl);
  const isOwnName = (name: string): boolean => name === nameOf(own.host) || isLoopbackName(name);
  return (request) => {
    if (PROBES.has(request.path)) return;
    const host = request.header('host');
    if (host !== undefined) {
      const name = nameOf(host);
      if (name === undefined || !isOwnName(name)) throw foreignHost();
    }
    const origin = request.header('origin');
    if (origin === undefined || allowsOrigin(origin) || origin === own.origin) return;
    if (!isOriginOf(origin, host)) throw foreignOrigin();
  };
};

/**
 * For a route that admits only known origins, on any node. Throws `authorization` for a request of a page that is
 * neither the node's own nor allowed. Own pages have an address of the node; a foreign name that points here does not
 * count.
 */
export const createForeignOriginCheck = ({
  nodeUrl,
  allowsOrigin,
}: OwnAddresses): ((request: InboundRequest) => void) => {
  const own = new URL(nodeUrl);
  return (request) => {
    const origin = request.header('origin');
    if (origin === undefined || allowsOrigin(origin) || origin === own.origin) return;
    const host = request.header('host');
    const name = host === undefined ? undefined : nameOf(host);
    const isOwn = name !== undefined && (name === nameOf(own.host) || isLoopbackName(name));
    if (!isOwn || !isOriginOf(origin, host)) throw unknownOrigin();
  };
};

/** Probes may use any host name, because supervisors do. Their answers reveal nothing. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Returns the name in a `Host` header, in lower case and without its port; undefined for an invalid one. Ports do not
 * matter, because they may be forwarded.
 */
const nameOf = (host: string): string | undefined => HOST.exec(host.toLowerCase())?.[1];

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,255}?)\.?(?::\d{1,5})?$/;

/**
 * Returns whether browsers always resolve the name to the machine itself, as they do for names under `localhost` (RFC
 * 6761).
 */
const isLoopbackName = (name: string): boolean => isLoopbackHost(name) || name.endsWith('.localhost');

/**
 * Returns whether a page of the node itself sent the request. Ignores the scheme, because a proxy may have changed it.
 */
const isOriginOf = (origin: string, host: string | undefined): boolean =>
  host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1] === host.toLowerCase();

const foreignHost = (): ServiceError =>
  new ServiceError('authorization', 'this node asks for no keys, so it is not called by names that are not its own', {
    hint: 'call it as localhost; or set SVC_NODE_URL to the address that is used; or ask for keys, SVC_AUTH_REQUIRED=true',
  });

const foreignOrigin = (): ServiceError =>
  new ServiceError('authorization', 'this node asks for no keys, so pages of other origins may not call it', {
    hint: 'add the origin of the page to SVC_CORS_ALLOWED_ORIGINS, or ask for keys with SVC_AUTH_REQUIRED=true',
  });

const unknownOrigin = (): ServiceError =>
  new ServiceError('authorization', 'pages of other origins may not call this route', {
    hint: 'add the origin of the page to SVC_CORS_ALLOWED_ORIGINS; a program sends no Origin header',
  });
