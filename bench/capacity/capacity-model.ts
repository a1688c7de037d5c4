import { BYTES, COSTS, WRITES_OF_A_TENANT } from './measured-costs.ts';

/** A memory of tenants of one size, in which each caller may read all facts of its tenant. */
export interface Memory {
  readonly facts: number;
  readonly tenants: number;
}

/** The use of a memory whose facts arrived within a year. */
export const USE = { readsPerFact: 10, recallsPerFact: 2, peakPerMean: 10 } as const;

/** One host for the processes of the node, and another for the database. */
export const HOST = { processors: 8, memoryBytes: 64 * 2 ** 30, diskBytes: 4e12 } as const;

/** The resources that a growing memory uses up. `Need.share` compares each with one host, or with a tenant's limit. */
export const PARTS = [
  'index in memory',
  'processors of the node',
  'processors of the database',
  'processors of the database, with `search-postgres`',
  'disk of the database',
  'disk of the database, with `search-postgres`',
  'writes of one tenant',
] as const;

export interface Need {
  readonly part: (typeof PARTS)[number];
  /** The need in `unit`. */
  readonly amount: number;
  readonly unit: 'GB' | 'cores' | 'writes/s';
  /** The need as a share of one host, or of the limit of a tenant. */
  readonly share: number;
}

const SECONDS_OF_A_YEAR = 365 * 86_400;

/** Returns the needs of a memory at its peak, in the order of `PARTS`. */
export const needsOf = ({ facts, tenants }: Memory): readonly Need[] => {
  const writes = (facts / SECONDS_OF_A_YEAR) * USE.peakPerMean;
  const [reads, recalls] = [writes * USE.readsPerFact, writes * USE.recallsPerFact];
  const readable = facts / tenants;
  const { assertion, entityRead, recall, recallInDatabase } = COSTS;
  const processors = (recallUs: number, side: 'node' | 'database'): number =>
    (writes * assertion[side] + reads * entityRead[side] + recalls * recallUs) / 1e6;
  const disk = (searchBytes: number): number => facts * (BYTES.fact + searchBytes);
  const amounts = [
    { amount: (facts * BYTES.index) / 1e9, unit: 'GB', share: (facts * BYTES.index) / HOST.memoryBytes },
    ofProcessors(processors(recall.node + readable * recall.nodePerReadableFact, 'node')),
    ofProcessors(processors(recall.database, 'database')),
    ofProcessors(
      processors(recallInDatabase.database + readable * recallInDatabase.databasePerReadableFact, 'database'),
    ),
    ofDisk(disk(BYTES.vector)),
    ofDisk(disk(BYTES.searchRows)),
    { amount: writes / tenants, unit: 'writes/s', share: writes / tenants / WRITES_OF_A_TENANT },
  ] as const;
  return amounts.map((need, at) => ({ part: PARTS[at] as Need['part'], ...need }));
};

const ofProcessors = (amount: number) => ({ amount, unit: 'cores', share: amount / HOST.processors }) as const;
const ofDisk = (bytes: number) => ({ amount: bytes / 1e9, unit: 'GB', share: bytes / HOST.diskBytes }) as const;
