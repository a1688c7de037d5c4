import type { Clock, Embedder } from '../../../kernel/plugin-api.ts';
import type { RebuildableIndex, RebuildRun } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import type { GenerationStore } from '../vectors/generation-store.ts';
import { pause } from './pause.ts';

const LOOK_MS = 1_000;

export interface RebuildVectorsParts {
  readonly generations: GenerationStore;
  readonly embedder: Pick<Embedder, 'id' | 'dimensions'>;
  readonly clock: Clock;
  readonly search: Pick<SearchService, 'lacksVectors' | 'generations' | 'vectorsAdded'>;
}

/**
 * Embeds all facts again, as another generation of the embedder. The one embedding process does the work; this job
 * follows its progress.
 */
export const rebuildVectors = (parts: RebuildVectorsParts): RebuildableIndex => {
  const { generations, embedder, clock, search } = parts;
  return {
    name: 'vectors',
    summary: 'vectors of all facts; the embedder is asked again, which may cost money',
    async state() {
      const { target } = await generations.plan();
      const { state, done, total, number, error } = target;
      const isComplete = state === 'complete';
      return {
        isComplete: isComplete && !search.lacksVectors,
        ...(isComplete ? {} : { done, total }),
        ...(error === null ? {} : { error }),
        details: { generation: number, embedder: embedder.id, dimensions: embedder.dimensions },
      };
    },
    async rebuild(run: RebuildRun) {
      const kept = run.resumedFrom?.['generation'];
      const { target } = await generations.plan();
      // Does not resume a generation that was withdrawn.
      const name = kept === target.name ? target.name : (await generations.begin()).name;
      await run.checkpoint({ generation: name });
      for (;;) {
        run.signal.throwIfAborted();
        const now = (await generations.plan()).target;
        if (now.name !== name) return;
        run.progress({ done: now.done, total: now.total });
        if (now.state === 'complete') await search.vectorsAdded();
        if (now.state === 'complete' && search.generations.every((served) => served === name)) return;
        await pause(LOOK_MS, clock, run.signal);
      }
    },
    async cancelled(checkpoint) {
      const name = checkpoint?.['generation'];
      if (typeof name === 'string') await generations.withdraw(name);
    },
  };
};
