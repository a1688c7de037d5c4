import type { Authorizer, Clock, ServeOptions } from '../../ports/ports.ts';
import type { Container } from '../container/awilix-container.ts';
import type { Random } from '../crypto/random.ts';
import type { HookBus } from '../hooks/hook-bus.ts';
import { compileRoutes, type InspectReply } from '../http/compile-route.ts';
import { createForeignPageCheck } from '../http/foreign-page.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import { NodeSelf } from '../identity/node-self.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import type { Logger } from '../log/logger.ts';

export interface ServedParts {
  readonly routes: readonly OwnedRoute[];
  readonly container: Container;
  readonly hooks: HookBus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly inspectReply?: InspectReply | undefined;
  readonly authorizer: Authorizer;
  /** Whether pages of this origin may call a node that asks for no keys; those of the node itself always may. */
  allowsOrigin(origin: string): boolean;
}

/** What the transport serves, once every plugin was set up. */
export const compileServed = (parts: ServedParts): ServeOptions => {
  const { routes, container, hooks, clock, random, log, authorizer, allowsOrigin, inspectReply } = parts;
  const { authRequired, maxBodyBytes, trustedProxies } = container.get(NodeSettings);
  const self = container.get(NodeSelf);
  return compileRoutes({
    authorizer,
    refuseForeignPage: authRequired ? undefined : createForeignPageCheck({ nodeUrl: self.nodeUrl, allowsOrigin }),
    routes,
    hooks,
    self,
    clock,
    random,
    log,
    maxBodyBytes,
    trustedProxies,
    inspectReply,
  });
};
