/** A server that follows the primary of a store and may serve its reads, as one process knows it. */
export interface ReadReplica {
  /** Its address for people, without user, password and parameters. No two replicas of a store have the same. */
  readonly address: string;
  /** The reason for which it serves no reads now; null where it may. Contains no secret. */
  readonly leftOut: string | null;
  /** The bytes of the primary's log that it has not replayed yet; null where that is unknown. */
  readonly lagBytes: number | null;
  /** The number of reads that it has served since the process opened the store. */
  readonly reads: number;
  /** The number of reads that the primary has served in its place since then, because it lagged or was left out. */
  readonly readsOnPrimary: number;
}
