import { ScreenHead } from '../../kit/screen-head.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { KeyTable } from './key-table.tsx';

const SHOWN = 100;

/** The keys of the tenant that work now, for an administrator who looks for one or ends unused ones. */
export const AllKeys = ({ round, actions }: { round: number; actions: Actions }) => {
  const { client, own } = useSession('keys');
  const { typed, settled, type } = useSearchWords('keys');
  const keys = useRequest(
    (signal) => {
      const words = settled === '' ? {} : { search: settled };
      return client.call('GET /v1/auth/keys', { query: { all: true, limit: SHOWN, ...words }, signal });
    },
    [settled, round],
  );
  return (
    <section>
      <ScreenHead title={own.all} level={2}>
        <input
          type="search"
          aria-label={own.search}
          placeholder={own.search}
          value={typed}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </ScreenHead>
      <Answer asked={keys}>
        {(found) => (
          <>
            <KeyTable label={own.all} keys={found} actions={actions} empty={<Empty title={own.noneFound} />} />
            {found.length === SHOWN && <p class="muted">{fill(own.more, { count: SHOWN })}</p>}
          </>
        )}
      </Answer>
    </section>
  );
};
