import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  FactFeed,
  Facts,
  factAppended,
  factCommitted,
  factErased,
  factRestored,
  NodeSelf,
  optional,
  requireLimit,
  requirePermission,
} from '../../kernel/plugin-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { recallExpand } from '../recall/recall-api.ts';
import { type RebuildRun, rebuildableIndexes } from '../search/search-api.ts';
import { Moments } from '../time-travel/time-travel-api.ts';
import { createEdgeCheck } from './check-edges.ts';
import { checkWalk, readMoment } from './check-walk.ts';
import { EdgeGathering } from './edge-gathering.ts';
import { EdgeStore } from './edge-store.ts';
import { EntityGraph } from './graph-api.ts';
import { graphContents, graphMigrations } from './graph-migrations.ts';
import * as words from './graph-words.ts';
import { DEFAULT_NEIGHBORS, MAX_NEIGHBORS, neighborsRoute } from './neighbors-route.ts';
import { pageNeighbors } from './page-neighbors.ts';
import { expandRecall } from './recall-expansion.ts';
import { RetireEdges } from './retire-edges.ts';
import { walkGraph } from './walk-graph.ts';

/**
 * The maximum time in milliseconds that the start waits for missing edges. A larger store adds the rest while the node
 * serves.
 */
const GATHERING_AT_START_MS = 5_000;
const GATHERED_AT_ONCE_MS = 500;
const GATHERING_INTERVAL_MS = 1_000;
const PROGRESS_INTERVAL_MS = 60_000;
const RETIRING_INTERVAL_MS = 1_000;

interface Settings {
  readonly cursorTtlSeconds: number;
}

export const graphPlugin = defineOwnPlugin({
  name: 'graph',
  summary: 'Entities and the ref facts between them: neighbours over HTTP, and the graph stage of recall',
  requires: {
    facts: Facts,
    feed: FactFeed,
    clock: Clock,
    cursors: Cursors,
    self: NodeSelf,
    moments: optional(Moments),
  },
  provides: [EntityGraph],
  declares: Object.values(words),
  config: objectSchema<Settings>({
    cursorTtlSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: 86_400,
      default: 300,
      env: 'SVC_CURSOR_TTL_S',
      description: 'how long a cursor of a list of neighbours can be used, in seconds',
    },
  }),
  migrations: graphMigrations,
  contents: graphContents,
  async setup({ config, use, tables, log, on, provide, route, every, onStop }) {
    const { facts, clock, cursors, self, moments } = use;
    const edges = new EdgeStore(tables, self.names);
    const retire = new RetireEdges({ edges, tables, clock });
    const parts = { edges, names: self.names, retire };
    const graph: EntityGraph = {
      neighbors: (reader, walk) => walkGraph(parts, reader, walk),
      page: (reader, walk, from, limit) => pageNeighbors(parts, reader, walk, from, limit),
      async list(caller, walk, { from, limit = DEFAULT_NEIGHBORS, asOf } = {}) {
        requirePermission(caller, 'read');
        const checked = checkWalk(walk, caller);
        const most = requireLimit(limit, MAX_NEIGHBORS);
        const notes = readMoment(asOf, moments);
        return facts.read(caller, 'query', (reader) => graph.page(reader, checked, from, most), notes);
      },
    };
    provide(EntityGraph, graph);
    on(factAppended, async (batch) => {
      retire.appended(batch);
      await edges.add(
        batch.facts.map(({ fact }) => fact),
        batch.transaction,
      );
    });
    on(factErased, (erased) => edges.erase(erased));
    on(factRestored, ({ facts, transaction }) => edges.add(facts, transaction));
    on(factCommitted, ({ facts: committed }) => retire.committed(committed));
    every(RETIRING_INTERVAL_MS, () => retire.retire());
    on(recallExpand, (request) => expandRecall(graph, request));
    route(
      neighborsRoute({
        graph,
        clock,
        cursors,
        names: self.names,
        knowsPast: moments !== undefined,
        cursorLifetimeMs: config.cursorTtlSeconds * 1000,
      }),
    );
    const gathering = new EdgeGathering({ feed: use.feed, tables, edges, clock, log });
    if (!(await gathering.advance(GATHERING_AT_START_MS))) {
      log.warn('edges of facts from before this plugin was on are still being gathered; neighbours may be missing');
    }
    every(GATHERING_INTERVAL_MS, async () => {
      if (!gathering.complete) await gathering.advance(GATHERED_AT_ONCE_MS);
    });
    const edgeCheck = createEdgeCheck(tables, edges, gathering);
    on(storeChecks, () => edgeCheck);
    on(rebuildableIndexes, () => ({
      name: 'edges',
      summary: 'edges of the graph, compared with the facts',
      state: async () => ({ isComplete: gathering.complete }),
      rebuild: (run: RebuildRun) => gathering.renew(run),
    }));
    every(PROGRESS_INTERVAL_MS, () => gathering.keepUp());
    onStop(() => gathering.keepUp());
  },
});
