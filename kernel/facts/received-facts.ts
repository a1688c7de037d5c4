import { defineRef } from '../../ports/define-ref.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** For plugins that check received facts by their speaker. */
export interface VerifiedOrigins {
  /**
   * Returns those of these facts of one tenant whose origin has signed them, as this node verified when they came. For
   * the other facts the sender alone names an origin. One statement for all.
   */
  of(snapshot: PluginSnapshot, tenantId: string, factIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export const VerifiedOrigins = defineRef<VerifiedOrigins>('facts.verified-origins');

/**
 * The speaker of a received fact, as far as this node can verify: its origin, if that has signed it, otherwise the peer
 * that sent it.
 */
export interface PeerSpeaker {
  readonly nodeId: string;
  /** Whether it may speak as this source: as itself, or as a name under its own address. */
  speaksFor(source: string): Promise<boolean>;
}

/** Note on the draft of a received fact. */
export const PeerSpeaker = defineRef<PeerSpeaker>('facts.peer-speaker');
