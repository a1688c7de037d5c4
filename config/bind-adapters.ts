import { createOpenAuthorizer } from '../adapters/authorizer/open-authorizer.ts';
import type { AdapterBinding, Kernel, KernelAdapters } from '../kernel/boot/kernel.ts';
import type { Random } from '../kernel/crypto/random.ts';
import type { Logger } from '../kernel/log/logger.ts';
import { type AdapterParts, type Clock, type FactStore, ObjectStores, type Transport } from '../ports/ports.ts';
import { embedderBindings } from './embedder-bindings.ts';
import type { NodeConfig } from './node-config.ts';
import type { NodeSeal } from './node-seal.ts';
import { createKnownStore } from './open-store.ts';

export interface AdapterOverrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly transport?: Transport;
  readonly store?: () => FactStore | Promise<FactStore>;
  readonly extras?: readonly AdapterBinding[];
}

export interface BoundParts {
  readonly given: AdapterOverrides;
  readonly config: NodeConfig;
  readonly environment: AdapterParts;
  readonly random: Random;
  readonly objects: ObjectStores;
  readonly seal: NodeSeal;
}

/** Returns the adapters of the kernel: those of the configuration, unless others are given. */
export const bindAdapters = (
  { given, config, environment, random, objects, seal }: BoundParts,
  settings: () => Kernel['settings'],
): KernelAdapters => {
  const { node, transport, authorizer } = config;
  const { extras = [] } = given;
  const ours = [...embedderBindings(config, environment), { ref: ObjectStores, create: () => objects }];
  return {
    clock: environment.clock,
    random,
    ...(given.store === undefined
      ? {
          store: () => createKnownStore(config, settings(), environment, seal),
          afterMigrations: seal.mark,
          contentSeal: seal.open,
          readSeal: seal.describe,
          placeKeys: seal.placeKeys,
        }
      : { store: given.store }),
    transport: () => given.transport ?? transport.adapter.create(transport.settings, environment),
    extras: [...extras, ...ours.filter(({ ref }) => !extras.some((extra) => extra.ref.id === ref.id))],
    ...(node.authRequired
      ? authorizer && {
          authorizer: (inner) => authorizer.adapter.create(authorizer.settings, { ...environment, inner }),
        }
      : { authorizer: createOpenAuthorizer }),
  };
};
