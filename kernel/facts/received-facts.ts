import { defineRef } from '../../ports/define-ref.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** For plugins that judge received facts by who said them. */
export interface VerifiedOrigins {
  /**
   * Returns those of these facts of one tenant whose origin has signed them, as this node could verify when they came.
   * The other facts name an origin for which their sender alone vouches. One statement for all.
   */
  of(snapshot: PluginSnapshot, tenantId: string, factIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export const VerifiedOrigins = defineRef<VerifiedOrigins>('facts.verified-origins');

/**
 * Who said a received fact, as far as this node can tell: its origin where that has signed it, otherwise the peer that
 * sent it.
 */
export interface PeerSpeaker {
  readonly nodeId: string;
  /** Whether it may say something as this source: as itself, or as a name under its own address. */
  speaksFor(source: string): Promise<boolean>;
}

/** Note on the draft of a received fact. */
export const PeerSpeaker = defineRef<PeerSpeaker>('facts.peer-speaker');
