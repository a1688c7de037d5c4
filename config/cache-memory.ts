import { totalmem } from 'node:os';
import { type NodeSettings, workerCount } from './node-settings.ts';

/** The memory for cached facts and answers of one process, in bytes. */
interface CacheMemory {
  readonly ofStore: number;
  readonly ofPlugins: number;
}

const MIB = 2 ** 20;
const SHARE_OF_MACHINE = 1 / 64;
const LEAST_BYTES = 32 * MIB;
/** Holds all facts of a store of 10,000. Mixed reads over a million, in 1.0 GiB, gain nothing from more. */
const MOST_BYTES = 64 * MIB;
/** Recalls and entity queries read cached facts. Cached answers last only until the next commit. */
const SHARE_OF_STORE = 2 / 3;

/** Divides the memory for caches among the processes of a node, and within each between the store and the plugins. */
export const cacheMemoryOf = (
  node: Pick<NodeSettings, 'cacheMiB' | 'workers'>,
  machineBytes = memoryOfMachine(),
): CacheMemory => {
  const ofNode = node.cacheMiB === 'auto' ? shareOf(machineBytes) : node.cacheMiB * MIB;
  const bytes = ofNode / workerCount(node);
  const ofStore = Math.floor(bytes * SHARE_OF_STORE);
  return { ofStore, ofPlugins: Math.floor(bytes) - ofStore };
};

const shareOf = (machineBytes: number): number =>
  Math.min(MOST_BYTES, Math.max(LEAST_BYTES, machineBytes * SHARE_OF_MACHINE));

/** Returns the memory of the container, or of the machine where no container sets a lower limit. */
const memoryOfMachine = (): number => {
  const limit = process.constrainedMemory();
  return limit !== undefined && limit > 0 ? Math.min(limit, totalmem()) : totalmem();
};
