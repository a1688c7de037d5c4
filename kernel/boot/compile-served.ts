import type { ServeOptions } from '../../ports/ports.ts';
import type { Container } from '../container/awilix-container.ts';
import { compileRoutes, type RouteOptions } from '../http/compile-route.ts';
import { createForeignOriginCheck, createForeignPageCheck } from '../http/foreign-page.ts';
import { Turns } from '../http/person-turns.ts';
import { NodeSelf } from '../identity/node-self.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import { BootError, problemOf } from '../problems/boot-problem.ts';

type OfTheNode = 'self' | 'turns' | 'refuseForeignPage' | 'refuseForeignOrigin' | 'maxBodyBytes' | 'trustedProxies';

export interface ServedParts extends Omit<RouteOptions, OfTheNode> {
  readonly container: Container;
  /** Returns whether pages of this origin may call a node without keys. Pages of the node itself always may. */
  allowsOrigin(origin: string): boolean;
}

/** Compiles the endpoints for the transport, after every plugin was set up. */
export const compileServed = ({ container, allowsOrigin, ...parts }: ServedParts): ServeOptions => {
  const { authRequired, maxBodyBytes, trustedProxies } = container.get(NodeSettings);
  const self = container.get(NodeSelf);
  const turns = container.get(Turns);
  const addresses = { nodeUrl: self.nodeUrl, allowsOrigin };
  const refuseForeignPage = authRequired ? undefined : createForeignPageCheck(addresses);
  const refuseForeignOrigin = createForeignOriginCheck(addresses);
  return compileRoutes({ ...parts, self, turns, refuseForeignPage, refuseForeignOrigin, maxBodyBytes, trustedProxies });
};

/** Turns a failure to compile a route into a boot problem. */
export const compiledOrRefused = (served: () => ServeOptions): ServeOptions => {
  try {
    return served();
  } catch (error) {
    throw new BootError([problemOf(error, 'routes cannot be compiled')]);
  }
};
