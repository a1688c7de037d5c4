import { endedBy, notCovered } from '../../kernel/internal-api.ts';
import {
  all,
  defineFactMark,
  equals,
  type FactReader,
  type FactView,
  type Filter,
  isIn,
  not,
  withMark,
} from '../../kernel/plugin-api.ts';

type Ended = 'retracted' | 'superseded';

/** Says that another fact has ended this one, in replies that may hold such facts. */
export const ENDED = defineFactMark<Ended>('facts.ended', {
  summary: 'a retraction, a resolution or a replacement has ended the fact',
  members: { ended: { type: 'string', enum: ['retracted', 'superseded'] } },
  optional: ['ended'],
  toJson: (ended) => (ended === undefined ? {} : { ended }),
});

/**
 * Marks the facts that had ended by the moment of the read. A retraction has no mark, because it ends itself. A fact
 * that was both superseded and retracted is retracted, because then nothing holds in its place.
 */
export const markEnded = async (reader: FactReader, views: readonly FactView[]): Promise<readonly FactView[]> => {
  const among = async (ids: readonly string[], isEnded: Filter): Promise<string[]> => {
    if (ids.length === 0) return [];
    const found = await reader.snapshot.outline(
      all(equals('tenantId', reader.caller.tenantId), isIn('id', ids), isEnded),
    );
    return found.map(({ id }) => id);
  };
  const asserting = views.flatMap(({ fact }) => (fact.confidence > 0 ? [fact.id] : []));
  const ended = await among(asserting, not(notCovered(reader)));
  if (ended.length === 0) return views;
  const retracted = new Set(await among(ended, endedBy(['retraction'], reader)));
  const superseded = new Set(ended);
  return views.map((view) => {
    const { id } = view.fact;
    if (retracted.has(id)) return withMark(view, ENDED, 'retracted');
    return superseded.has(id) ? withMark(view, ENDED, 'superseded') : view;
  });
};
