import { defineRef } from '../../ports/ports.ts';
import type { ServiceNames } from './service-names.ts';

/** The identity of this node. Fixed at the first start on the store, except the URL. */
export interface NodeSelf {
  /** Every identifier that carries the service's own name. */
  readonly names: ServiceNames;
  readonly nodeId: string;
  /** Advertised base address, without a final slash. */
  readonly nodeUrl: string;
  /** `host[:port]` of the advertised address: the authority of this node's own URIs. */
  readonly authority: string;
}

export const NodeSelf = defineRef<NodeSelf>('kernel.node-self');
