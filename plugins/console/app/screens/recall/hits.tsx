import type { RecallReply } from '../../../../../client/client.ts';
import { Empty } from '../../kit/state.tsx';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { Hit } from './hit.tsx';
import type { Ranks } from './ranks.ts';

interface HitsProps {
  readonly label: string;
  readonly reply: RecallReply;
  /** The ranks of the facts under the other settings. */
  readonly others: Ranks | undefined;
}

/** The facts of a recall, best first, with the share of the budget used so far. */
export const Hits = ({ label, reply, others }: HitsProps) => {
  const { own } = useSession('recall');
  let sum = 0;
  const items = reply.facts.map((hit, at) => {
    sum += hit.token_estimate;
    return { hit, rank: at + 1, sum };
  });
  return (
    <VirtualRows
      label={label}
      paged={{ items, isLoading: false, hasMore: false, error: undefined, readMore: NOTHING, reload: NOTHING }}
      keyOf={({ hit }) => hit.fact.id}
      empty={<Empty title={own.nothingFound} hint={own.nothingFoundHint} />}
    >
      {(item) => <Hit {...item} budget={reply.token_budget} others={others} />}
    </VirtualRows>
  );
};

const NOTHING = (): void => undefined;
