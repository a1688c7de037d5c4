import { FactStore, ServiceError } from '../../ports/ports.ts';
import { createLeases } from '../leases/create-leases.ts';
import { Leases } from '../leases/leases-api.ts';
import { createStoreCopies, StoreCopies } from '../leases/store-copies.ts';
import { withinTime } from '../time/within-time.ts';
import type { Assembly } from './assembly.ts';
import { leftToStopMs } from './stop-node.ts';

/** Opens the leases before the plugins, so that they are released after the plugins, which may need a lease to stop. */
export const openLeases = (node: Assembly): void => {
  const { container, stops } = node;
  const { log, adapters } = node.options;
  const leases = createLeases({ store: container.get(FactStore), clock: adapters.clock, log });
  const late = () => new ServiceError('unavailable', 'leases took too long to give back');
  stops.push('leases', () => withinTime(adapters.clock, leftToStopMs(node), () => leases.close(), late));
  node.beginLeases = () => leases.begin();
  container.provide(Leases, leases);
  const { clock, placeKeys } = adapters;
  container.provide(StoreCopies, createStoreCopies({ store: container.get(FactStore), clock, log, placeKeys }));
};
