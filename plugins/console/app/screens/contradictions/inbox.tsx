import type { Conflict } from '../../../../../client/client.ts';
import { Empty } from '../../kit/state.tsx';
import type { Selection } from '../../kit/use-selection.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { ConflictLine } from './conflict-line.tsx';
import { type Done, OneContradiction } from './one-contradiction.tsx';

interface InboxProps {
  readonly list: readonly Conflict[];
  readonly selection: Selection<Conflict>;
  /** Reports a finished action; `next` is the contradiction to continue with. */
  readonly onDone: (done: Done, next: Conflict | undefined) => void;
  readonly onOutdated: () => void;
}

/** The list, and beside it the contradiction that the address names, or the first one. */
export const Inbox = ({ list, selection, onDone, onOutdated }: InboxProps) => {
  const { contradictions: texts } = useSession().texts;
  const { query, open } = useAddress();
  const { status, id } = query;
  const at = id === undefined ? 0 : list.findIndex((conflict) => conflict.conflict_id === id);
  const current = list[at];
  const step = (by: number): void => {
    const target = list[at + by];
    if (target !== undefined) open('contradictions', { status, id: target.conflict_id }, true);
  };
  const rows = { items: list, isLoading: false, hasMore: false, error: undefined, readMore: NOTHING, reload: NOTHING };
  return (
    <div class="inbox" data-chosen={id !== undefined}>
      <div class="inbox-list">
        <VirtualRows label={texts.list} paged={rows} keyOf={(conflict) => conflict.conflict_id} empty={null} at={at}>
          {(conflict) => (
            <ConflictLine conflict={conflict} status={status} isCurrent={conflict === current} selection={selection} />
          )}
        </VirtualRows>
      </div>
      {current === undefined ? (
        <Empty title={texts.notHere}>
          <a href={addressOf('contradictions', { status: 'all', id })}>{texts.lookInAll}</a>
        </Empty>
      ) : (
        <OneContradiction
          key={current.conflict_id}
          conflict={current}
          isNamed={id !== undefined}
          backTo={addressOf('contradictions', { status })}
          onStep={step}
          onSelect={() => selection.toggle(current, false)}
          onOutdated={onOutdated}
          onDone={(done) => onDone(done, list[at + 1] ?? list[at - 1])}
        />
      )}
    </div>
  );
};

const NOTHING = (): void => undefined;
