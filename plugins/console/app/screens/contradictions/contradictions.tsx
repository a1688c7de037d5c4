import { useState } from 'preact/hooks';
import type { Conflict } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useBulk } from '../../kit/use-bulk.tsx';
import { useLive } from '../../kit/use-live.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSelection } from '../../kit/use-selection.ts';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill, plural } from '../../texts/texts.ts';
import { BulkActions } from './bulk-actions.tsx';
import { Inbox } from './inbox.tsx';
import type { Done } from './one-contradiction.tsx';
import {
  type ConflictStatus,
  markOf,
  probeContradictions,
  readContradictions,
  STATUSES,
} from './read-contradictions.ts';
import { StatusChoice } from './status-choice.tsx';

/**
 * The number of pages read at first, by status. Open contradictions are listed oldest first, but the node returns the
 * newest first, so they need several pages.
 */
const PAGES_AT_FIRST = { unresolved: 4, resolved: 1, all: 1 };
const PAGES_MORE = 16;
const LONG = 500;

/** The contradictions, and the actions that the key allows. */
export const Contradictions = () => {
  const { client, texts, own } = useSession('contradictions');
  const { query, open } = useAddress();
  const status = statusOf(query.status);
  const [more, setMore] = useState(0);
  const [count, setCount] = useState(0);
  const pages = PAGES_AT_FIRST[status] + more;
  const [done, setDone] = useState<Done>();
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());
  const asked = useRequest(
    (signal) => readContradictions(client, { status, pages, onRead: setCount, signal }),
    [status, pages],
  );
  const read = asked.data?.list ?? [];
  const list = status === 'unresolved' ? read.filter(({ conflict_id: id }) => !settled.has(id)) : read;
  const selection = useSelection(list, ({ conflict_id: id }) => id);
  const bulk = useBulk(asked.reload);
  const live = useLive({
    probe: (signal) => probeContradictions(client, status, signal),
    // Reading a long list again and again would be slow.
    shown: asked.isLoading || read.length > LONG ? undefined : markOf(status, read),
    onChange: asked.reload,
  });
  const finish = (what: Done, next: Conflict | undefined): void => {
    setDone(what);
    const { settles, isLeft } = what;
    if (settles !== undefined) setSettled((before) => new Set([...before, settles]));
    // A settled contradiction leaves the inbox of open ones, and the next one takes its place.
    if (status === 'unresolved' && !isLeft) open('contradictions', { ...query, id: next?.conflict_id }, true);
    // Reloading a long list after each action would be slow.
    if (list.length <= LONG) asked.reload();
  };
  return (
    <>
      <h1>{texts.screens.contradictions}</h1>
      <div class="bar">
        <StatusChoice status={status} />
        <span class="muted" role="status">
          {asked.isLoading && count > 0 && fill(own.reading, { count })}
          {!asked.isLoading && asked.data !== undefined && plural(own.count, list.length)}
        </span>
        {live}
      </div>
      {list.length > 0 && <BulkActions selection={selection} bulk={bulk} />}
      {bulk.view}
      <DoneNotice done={done} />
      <Answer asked={asked}>
        {({ hasMore }) => (
          <>
            {hasMore && (
              <NotAll count={list.length} isLoading={asked.isLoading} onMore={() => setMore(more + PAGES_MORE)} />
            )}
            {list.length === 0 && query.id === undefined ? (
              <Empty title={own.nothing[status]} hint={own.nothingHint} />
            ) : (
              <Inbox list={list} selection={selection} onDone={finish} onOutdated={asked.reload} />
            )}
          </>
        )}
      </Answer>
    </>
  );
};

interface NotAllProps {
  readonly count: number;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

const NotAll = ({ count, isLoading, onMore }: NotAllProps) => {
  const { own } = useSession('contradictions');
  return (
    <p class="hint inbox-hint">
      {fill(own.notAll, { count })} <Button text={own.readMore} class="link" disabled={isLoading} onClick={onMore} />
    </p>
  );
};

const DoneNotice = ({ done }: { done: Done | undefined }) => (
  <Notice>
    {done && (
      <>
        {done.says} <a href={done.address}>{done.link}</a>
      </>
    )}
  </Notice>
);

const statusOf = (text: string | undefined): ConflictStatus => STATUSES.find((each) => each === text) ?? 'unresolved';
