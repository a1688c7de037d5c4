import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { type Paged, usePaged } from '../../kit/use-paged.ts';
import { useSession } from '../../session/session.ts';

type HistoryAnswer = AnswerOf<'GET /v1/facts/{id}/history'>;

export type Step = HistoryAnswer['events'][number];

/** The cause and time of a fact's end. */
export type Ended = NonNullable<Step['ended']>;

export interface TripleHistory {
  /** The steps of the history, oldest first. */
  readonly steps: Paged<Step>;
  readonly winners: HistoryAnswer['winners'];
}

/** The history of a fact's triple; empty without an id. Another `round` reloads it. */
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
