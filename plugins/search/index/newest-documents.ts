import { CONFIDENCE, PART } from './document-table.ts';
import type { IndexState } from './index-state.ts';
import { TopDocuments } from './top-documents.ts';
import type { ViewFilter } from './view-filter.ts';

/** Returns the newest documents that the filter accepts, newest first, each with its confidence. */
export const newestDocuments = (
  state: IndexState,
  filter: ViewFilter,
  limit: number,
): readonly { readonly document: number; readonly score: number }[] => {
  if (limit < 1) return [];
  const { documents, chains } = state;
  const top = new TopDocuments(limit, documents.count, (document, than) => documents.isOlder(document, than));
  const isOrdered = filter.entity === undefined || !filter.isPast;
  for (const document of newestFirst(state, filter)) {
    // Facts of other nodes arrive late, so a newer document may follow an older one.
    if (isOrdered && top.last !== undefined) {
      const newest = chains.newestUpTo(document, filter.entity !== undefined);
      if (documents.isOlder(newest, top.last)) break;
    }
    if (filter.accepts(document)) top.offer(document, 0);
  }
  return top.take().map(({ document }) => ({ document, score: documents.double(document, CONFIDENCE) }));
};

function* newestFirst({ documents }: IndexState, filter: ViewFilter): Generator<number> {
  if (filter.entity !== undefined) {
    const open = new Set(filter.parts.map(({ number }) => number));
    for (const document of filter.ofEntity()) if (open.has(documents.word(document, PART))) yield document;
    return;
  }
  const next = filter.parts.map((part) => filter.countOf(part) - 1);
  for (;;) {
    let newest = -1;
    let from = -1;
    filter.parts.forEach((part, at) => {
      const ordinal = next[at] as number;
      if (ordinal < 0 || part.documents.at(ordinal) <= newest) return;
      newest = part.documents.at(ordinal);
      from = at;
    });
    if (from < 0) return;
    next[from] = (next[from] as number) - 1;
    yield newest;
  }
}
