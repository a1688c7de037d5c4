import { useState } from 'preact/hooks';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { plural } from '../../texts/texts.ts';
import { KeyTable } from './key-table.tsx';

const DAYS = [7, 30, 90, 365] as const;
const FIRST_DAYS = 30;

/** Keys of the tenant that expire soon, because the node sends no warning. */
export const ExpiringKeys = ({ round, actions }: { round: number; actions: Actions }) => {
  const { client, own } = useSession('keys');
  const [days, setDays] = useState(FIRST_DAYS);
  const keys = useRequest(
    (signal) => client.call('GET /v1/auth/keys/expiring-soon', { query: { within_days: days }, signal }),
    [days, round],
  );
  return (
    <section>
      <ScreenHead title={own.expiring} level={2}>
        <select
          aria-label={own.within}
          value={String(days)}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        >
          {DAYS.map((each) => (
            <option key={each} value={String(each)}>
              {plural(own.days, each)}
            </option>
          ))}
        </select>
      </ScreenHead>
      <Answer asked={keys}>
        {(all) => (
          <KeyTable label={own.expiring} keys={all} actions={actions} empty={<Empty title={own.noneExpiring} />} />
        )}
      </Answer>
    </section>
  );
};
