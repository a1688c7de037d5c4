import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMeaningEmbedder } from '../../adapters/embedder/meaning-embedder.ts';
import { createSystemRandom } from '../../adapters/random/system-random.ts';
import { DEPTH_OF_BOTH } from '../../plugins/recall/search-depth.ts';
import { MemoryIndex } from '../../plugins/search/index/memory-index.ts';
import type { Hit, SearchIndex, SearchView } from '../../plugins/search/search-api.ts';
import { bytesOfFile } from '../../plugins/search/snapshot/byte-source.ts';
import { SnapshotFiles, type SnapshotOwner } from '../../plugins/search/snapshot/snapshot-files.ts';
import { readVectors } from '../../plugins/search/snapshot/vector-snapshot.ts';
import type { Embedder } from '../../ports/embedder.ts';
import { SCOPES } from '../../ports/fact.ts';
import { findBeside, findNear, findWords } from '../../test/contract/search-index/ask-index.ts';
import { plainFiles } from '../../test/fakes/plain-files.ts';

/** The possible folders of snapshots: beside a database file, or in the data folder for a database server. */
const FOLDERS = ['search', 'data/search'];
const MANIFEST = 'manifest.json';
/** The tenant of all facts on a node without tenants. */
const TENANT = 'default';
/** The number of hits towards which a vector moves. */
const FED_BACK = 3;

/** The stages of recall by themselves, in this process, on the snapshot of a stopped node. */
export interface SearchStages {
  readonly embedder: Embedder;
  lexical(query: string): Promise<readonly Hit[]>;
  vector(query: Float32Array): Promise<readonly Hit[]>;
  /** Compares the vector with the spread of all vectors, and again after it has moved towards the first hits. */
  spread(query: Float32Array, found: readonly Hit[]): Promise<void>;
  /** Returns neighbouring facts from the sessions of the seeds. */
  besides(seeds: readonly Hit[]): Promise<readonly Hit[]>;
}

/** `folder` is the folder of a stopped node. */
export const openSearchStages = async (folder: string, dimensions: number): Promise<SearchStages> => {
  const snapshots = FOLDERS.map((name) => join(folder, name)).find((path) => existsSync(join(path, MANIFEST)));
  if (snapshots === undefined) throw new Error('the node has left no snapshot');
  const owner = JSON.parse(await readFile(join(snapshots, MANIFEST), 'utf8')) as SnapshotOwner;
  const found = await new SnapshotFiles(snapshots, createSystemRandom(), plainFiles).find(owner);
  if (found?.vectors === undefined) throw new Error('the node has left no snapshot with vectors');
  const { index } = await MemoryIndex.restore(await bytesOfFile(found.index));
  const { codes, tables } = await readVectors(await bytesOfFile(found.vectors));
  const layer = index.createVectors(codes, tables);
  index.serveVectors({ embedder: 'scripted', layer: layer });
  const embedder = createMeaningEmbedder(dimensions === 256 ? 256 : 768);
  return stagesOf(index, embedder);
};

export const stagesOf = (index: Pick<SearchIndex, 'ask'>, embedder: Embedder): SearchStages => {
  const view: SearchView = {
    tenantId: TENANT,
    scopes: SCOPES,
    gardens: 'all',
    nowMs: Date.now(),
    minConfidence: 0,
  };
  return {
    embedder,
    lexical: (query) => findWords(index, query, view, DEPTH_OF_BOTH),
    vector: (query) => findNear(index, query, embedder.similarityFloor, view, DEPTH_OF_BOTH),
    besides: (seeds) => findBeside(index, seeds, view, DEPTH_OF_BOTH),
    async spread(query, found) {
      const [spread, of] = [{ vector: query }, { ids: found.map(({ id }) => id) }];
      const from = { ids: of.ids.slice(0, FED_BACK) };
      await index.ask(
        [
          { find: 'spread', ...spread, of },
          { find: 'feedback', ...spread, from, of },
        ],
        view,
      );
    },
  };
};
