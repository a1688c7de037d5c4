import { defineRef } from '../../ports/ports.ts';
import type { ServiceNames } from './service-names.ts';

/** The identity of this node. Except for the URL, it is fixed at the first start on the store. */
export interface NodeSelf {
  /** The identifiers that contain the service's own name. */
  readonly names: ServiceNames;
  readonly nodeId: string;
  /** The advertised base address, without a trailing slash. */
  readonly nodeUrl: string;
  /** The `host[:port]` of the advertised address, which is the authority of this node's own URIs. */
  readonly authority: string;
}

export const NodeSelf = defineRef<NodeSelf>('kernel.node-self');
