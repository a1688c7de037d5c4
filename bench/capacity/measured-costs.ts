/**
 * Costs of one operation on PostgreSQL with all default plugins. Times are processor time in microseconds on one of two
 * shared x86-64 cores. `bench/README.md` names the commands that measured them.
 */
export const COSTS = {
  /** `append --store postgres`: one assertion. */
  assertion: { node: 231, database: 122 },
  /** `replicas`: ten facts of one entity that are not cached. */
  entityRead: { node: 1_300, database: 1_250 },
  /** `recall-latency`: one recall by the index in memory, with 768 dimensions. */
  recall: { node: 8_000, database: 3_000, nodePerReadableFact: 0.027 },
  /**
   * Recalls with `search-postgres` over 10,000 and 100,000 facts (`recall-latency --search postgres`), by the time that
   * their stages took on a busy machine. The database scans all facts that the caller may read. Over a million facts,
   * the stages took 10 µs for each fact.
   */
  recallInDatabase: { node: 8_000, database: 3_000, databasePerReadableFact: 6 },
} as const;

/** Bytes of one fact of twelve words, with its indexes, and with vectors of 768 dimensions. */
export const BYTES = {
  fact: 1_200,
  vector: 1_060,
  /** The words, vectors and filters of `search-postgres`, which replace `vector`. */
  searchRows: 5_090,
  /** The index in the memory of one process of each host. */
  index: 800,
} as const;

/** Durable assertions a second of one tenant, whose writes take turns (`append --store postgres`). */
export const WRITES_OF_A_TENANT = 3_000;
