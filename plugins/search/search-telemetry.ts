import type { Telemetry } from '../../kernel/plugin-api.ts';
import type { RebuildWords } from './reindex/rebuild-words.ts';
import type { SearchService } from './search-service.ts';
import type { VectorSide } from './vectors/vector-side.ts';

export interface MeasuredParts {
  readonly search: Pick<SearchService, 'size' | 'lacksVectors' | 'vectorCount'>;
  readonly words: Pick<RebuildWords, 'isRebuilding'>;
  readonly vectors: Pick<VectorSide, 'generations'> | undefined;
}

/** The measurements of the plugin: the size of its index in this process, and the progress of the vectors. */
export const measureSearch = (telemetry: Telemetry, { search, words, vectors }: MeasuredParts): void => {
  telemetry.gauge({ name: 'search_facts', help: 'Facts in the search index of the process' }, () => search.size);
  telemetry.gauge({ name: 'search_rebuilding', help: '1 while an index is built anew', labels: ['index'] }, () => [
    { value: words.isRebuilding ? 1 : 0, labels: { index: 'words' } },
    { value: search.lacksVectors ? 1 : 0, labels: { index: 'vectors' } },
  ]);
  if (vectors === undefined) return;
  const { generations } = vectors;
  telemetry.gauge(
    { name: 'search_vectors', help: 'Vectors in the search index of the process' },
    () => search.vectorCount,
  );
  telemetry.gauge(
    {
      name: 'search_backlog_facts',
      help: 'Facts from before the newest generation of vectors, done and left',
      labels: ['state'],
      of: 'store',
    },
    async () => {
      const { done, total, state } = (await generations.plan()).target;
      return [
        { value: done, labels: { state: 'done' } },
        { value: state === 'complete' ? 0 : total - done, labels: { state: 'left' } },
      ];
    },
  );
};

/** Counts embedding attempts and embedded facts. */
export const countEmbedded = (telemetry: Telemetry): ((outcome: { readonly embedded: number } | 'failed') => void) => {
  const embedded = telemetry.counter({ name: 'search_embedded_facts_total', help: 'Facts that got a vector' });
  const failures = telemetry.counter({ name: 'search_embed_failures_total', help: 'Failed attempts to embed facts' });
  return (outcome) => {
    if (outcome === 'failed') failures.add();
    else embedded.add(outcome.embedded);
  };
};
