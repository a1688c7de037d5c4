/** The result of comparing the tables of a store with their indexes. */
export interface StructureCheck {
  /** The means by which the engine compared them, for people. */
  readonly method: string;
  /** A sentence for each fault. Names tables and indexes, and never a value. */
  readonly faults: readonly string[];
}

/** Receives the number of compared tables or indexes, and the number of all. Must not throw. */
export type StructureProgress = (done: number, total: number) => void;
