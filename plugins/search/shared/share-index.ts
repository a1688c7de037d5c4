import { NODE_VERSION } from '../../../kernel/internal-api.ts';
import { type Clock, type Logger, type NodeSelf, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { SearchService } from '../search-service.ts';
import { SharedIndex } from './shared-index.ts';

export interface ShareParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly self: NodeSelf;
  /** Returns a private folder of the workers. */
  dataFolder(): string;
  createSearch(): SearchService;
}

/** Returns the index of this process. For a worker, returns the one index that all workers of its supervisor share. */
export const shareIndex = (
  place: number | undefined,
  { clock, log, self, dataFolder, createSearch }: ShareParts,
): SearchService | SharedIndex => {
  if (place === undefined) return createSearch();
  // Workers of another node or version may have the same folder.
  const pool = (): string => `${process.ppid}-${sha256Hex(`${self.nodeId} ${NODE_VERSION}`).slice(0, 16)}`;
  return new SharedIndex({ clock, log, folder: dataFolder(), place, pool, createSearch });
};
