import { useState } from 'preact/hooks';
import { Notice } from '../../kit/notice.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useAsked } from '../../kit/use-asked.ts';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill, plural } from '../../texts/texts.ts';
import { Inbox } from './inbox.tsx';
import type { Done } from './one-contradiction.tsx';
import { type ConflictStatus, readContradictions, STATUSES } from './read-contradictions.ts';

const PAGES_AT_FIRST = 4;
const PAGES_MORE = 16;

/** What contradicts, open or settled, and what the key may do about it. */
export const Contradictions = () => {
  const { client, texts } = useSession();
  const { contradictions: own } = texts;
  const { query, open } = useAddress();
  const status = statusOf(query.status);
  const [pages, setPages] = useState(PAGES_AT_FIRST);
  const [done, setDone] = useState<Done>();
  const asked = useAsked((signal) => readContradictions(client, { status, pages, signal }), [status, pages]);
  return (
    <>
      <h1>{texts.screens.contradictions}</h1>
      <div class="bar">
        <label class="inline-field">
          {own.show}
          <select
            value={status}
            onChange={({ currentTarget }) => open('contradictions', { status: currentTarget.value }, true)}
          >
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {own.statuses[each]}
              </option>
            ))}
          </select>
        </label>
        {asked.data !== undefined && <span class="muted">{plural(own.count, asked.data.list.length)}</span>}
      </div>
      <Notice>
        {done && (
          <>
            {done.says} <a href={done.address}>{done.link}</a>
          </>
        )}
      </Notice>
      <Answer asked={asked}>
        {({ list, hasMore }) => (
          <>
            {hasMore && (
              <p class="hint">
                {fill(own.notAll, { count: list.length })}{' '}
                <button
                  type="button"
                  class="link"
                  disabled={asked.isLoading}
                  onClick={() => setPages(pages + PAGES_MORE)}
                >
                  {own.readMore}
                </button>
              </p>
            )}
            {list.length === 0 && query.id === undefined ? (
              <Empty title={own.nothing[status]}>
                <p>{own.nothingHint}</p>
              </Empty>
            ) : (
              <Inbox
                list={list}
                onDone={(what, next) => {
                  setDone(what);
                  // What is settled leaves the inbox of the open ones, and the next one takes its place.
                  if (status === 'unresolved') open('contradictions', { ...query, id: next?.conflict_id }, true);
                  asked.reload();
                }}
              />
            )}
          </>
        )}
      </Answer>
    </>
  );
};

const statusOf = (text: string | undefined): ConflictStatus => STATUSES.find((each) => each === text) ?? 'unresolved';
