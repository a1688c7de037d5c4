import { compareHlc, type FactView, type ReadContext, withMark } from '../../../kernel/plugin-api.ts';
import { NOT_GRANTED } from './serving-words.ts';

/**
 * Marks retractions, resolutions and replacements of peers that ended only facts of the same peer, because the grant
 * was missing. Reads nothing if no fact of the page can be one of them.
 */
export const markNotGranted = async (
  views: readonly FactView[],
  { snapshot, asOf }: Pick<ReadContext, 'snapshot' | 'asOf'>,
): Promise<readonly FactView[] | undefined> => {
  const asked = views.map(({ fact }) => fact).filter(mayCover);
  if (asked.length === 0) return undefined;
  const limited = new Map(
    (await snapshot.covers(asked)).flatMap(({ factId, kind, speaker, since }) =>
      speaker === null || (asOf !== undefined && compareHlc(since, asOf) > 0) ? [] : [[factId, kind] as const],
    ),
  );
  return views.map((view) => {
    const kind = limited.get(view.fact.id);
    return kind === undefined ? view : withMark(view, NOT_GRANTED, kind);
  });
};

const mayCover = ({ speaker, confidence, derivedFrom, replaces }: FactView['fact']): boolean =>
  speaker !== null && (confidence === 0 || replaces.length > 0 || (confidence === 1 && derivedFrom.length > 1));
