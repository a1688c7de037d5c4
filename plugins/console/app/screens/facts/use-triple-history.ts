import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { type Paged, usePaged } from '../../kit/use-paged.ts';
import { useSession } from '../../session/session.ts';

type HistoryAnswer = AnswerOf<'GET /v1/facts/{id}/history'>;

/** A step in the history of a triple. */
export type Step = HistoryAnswer['events'][number];

/** By what, and when, a fact came to its end. */
export type Ended = NonNullable<Step['ended']>;

export interface TripleHistory {
  /** Oldest first. */
  readonly steps: Paged<Step>;
  readonly winners: HistoryAnswer['winners'];
}

/** How the triple of a fact came to be; nothing without an id. Another `round` asks anew. */
export const useTripleHistory = (id: string | undefined, round: number): TripleHistory => {
  const { client } = useSession();
  const [winners, setWinners] = useState<HistoryAnswer['winners']>([]);
  const steps = usePaged<Step>(
    async (cursor, signal) => {
      if (id === undefined) return { items: [], cursor: null };
      const query = cursor === undefined ? {} : { cursor };
      const page = await client.call('GET /v1/facts/{id}/history', { params: { id }, query, signal });
      setWinners(page.winners);
      return { items: page.events, cursor: page.cursor };
    },
    [id, round],
  );
  return { steps, winners };
};
