import type { Authorizer, Clock, ServeOptions } from '../../ports/ports.ts';
import type { Container } from '../container/awilix-container.ts';
import type { Random } from '../crypto/random.ts';
import type { HookBus } from '../hooks/hook-bus.ts';
import { compileRoutes, type InspectReply } from '../http/compile-route.ts';
import { createForeignPageCheck } from '../http/foreign-page.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import { NodeSelf } from '../identity/node-self.ts';
import type { Logger } from '../log/logger.ts';

/** Whom a node lets in, and how much they may send. */
export interface DoorSettings {
  readonly authRequired: boolean;
  /** Whether pages of this origin may call a node that asks for no keys; without it those of the node alone may. */
  readonly allowsOrigin?: (origin: string) => boolean;
  readonly maxBodyBytes: number;
  /** Addresses and networks whose `X-Forwarded-For` names the client, for the delays of refused credentials alone. */
  readonly trustedProxies?: readonly string[];
}

export interface ServedParts {
  readonly routes: readonly OwnedRoute[];
  readonly container: Container;
  readonly hooks: HookBus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly inspectReply?: InspectReply | undefined;
  readonly authorizer: Authorizer;
}

/** What the transport serves, once every plugin was set up. */
export const compileServed = (parts: ServedParts, settings: DoorSettings): ServeOptions => {
  const { routes, container, hooks, clock, random, log, authorizer, inspectReply } = parts;
  const { authRequired, maxBodyBytes, allowsOrigin = () => false, trustedProxies = [] } = settings;
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
