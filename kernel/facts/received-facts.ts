import { defineRef } from '../../ports/define-ref.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** For plugins that check received facts by their verified author. */
export interface VerifiedOrigins {
  /**
   * Returns the facts among these, of one tenant, whose origin has signed them, as this node verified on receipt. For
   * the others, only the sending peer names an origin. Uses one statement for all.
   */
  of(snapshot: PluginSnapshot, tenantId: string, factIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export const VerifiedOrigins = defineRef<VerifiedOrigins>('facts.verified-origins');

/** The verified author of a received fact: its origin if that has signed it, otherwise the peer that sent it. */
export interface PeerSpeaker {
  readonly nodeId: string;
  /** The key of the speaker: see `StoredFact`. Null for a fact of this node that a peer sends back. */
  readonly key: string | null;
  /**
   * True if the fact may end facts of others: its author sent or signed it, and its peering has the grant. A fact that
   * was passed on without proof never may.
   */
  readonly mayEndOthers: boolean;
  /** Returns whether the author may use this source: itself, or a name under its own address. */
  speaksFor(source: string): Promise<boolean>;
}

/** The note that names the verified author on the draft of a received fact: see `noteOf`. */
export const PeerSpeaker = defineRef<PeerSpeaker>('facts.peer-speaker');
