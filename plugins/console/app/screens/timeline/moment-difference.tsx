import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { FactLine } from '../../kit/fact-line.tsx';
import { Instant } from '../../kit/instant.tsx';
import { instantOf, localOf, MomentField } from '../../kit/moment-field.tsx';
import { nowMs } from '../../kit/platform.ts';
import { Empty } from '../../kit/state.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';

const CHANGES = ['began', 'ended'] as const;
const PAGE_FACTS = 50;
const DAY_MS = 86_400_000;

/** The facts that held at one of two moments and not at the other. The address keeps the moments. */
export const MomentDifference = ({ round }: { round: number }) => {
  const { own } = useSession('timeline');
  const { query } = useAddress();
  const { since, until } = query;
  return (
    <section aria-labelledby="difference">
      <h2 id="difference">{own.difference}</h2>
      <p class="lead">{own.differenceLead}</p>
      <MomentChoice key={`${since} ${until}`} since={since} until={until} />
      {since !== undefined && (
        <>
          <p role="status">
            <Instant at={since} /> – {until === undefined ? own.now : <Instant at={until} />}
          </p>
          <div class="differences">
            {CHANGES.map((change) => (
              <Changes key={change} change={change} since={since} until={until} round={round} />
            ))}
          </div>
        </>
      )}
    </section>
  );
};

interface Moments {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const MomentChoice = ({ since, until }: Moments) => {
  const { own } = useSession('timeline');
  const { open } = useAddress();
  const [from, setFrom] = useState(localOf(since ?? ''));
  const [to, setTo] = useState(localOf(until ?? ''));
  const compare = (event: Event): void => {
    event.preventDefault();
    open('timeline', { since: instantOf(from), until: instantOf(to) });
  };
  const sinceDays = (days: number): void =>
    open('timeline', { since: new Date(nowMs() - days * DAY_MS).toISOString() });
  return (
    <form class="moment-choice" onSubmit={compare}>
      <MomentField label={own.since} value={from} onChange={setFrom} />
      <MomentField label={own.until} hint={own.untilHint} value={to} onChange={setTo} />
      <div class="actions">
        <button type="submit" class="primary" disabled={from === ''}>
          {own.compare}
        </button>
        <Button text={own.lastDay} onClick={() => sinceDays(1)} />
        <Button text={own.lastWeek} onClick={() => sinceDays(7)} />
      </div>
    </form>
  );
};

interface ChangesProps extends Moments {
  readonly since: string;
  readonly change: (typeof CHANGES)[number];
  readonly round: number;
}

const Changes = ({ since, until, change, round }: ChangesProps) => {
  const { client, own } = useSession('timeline');
  const facts = usePaged<Fact>(
    async (cursor, signal) => {
      const query = { since, change, limit: PAGE_FACTS, ...(until && { until }), ...(cursor && { cursor }) };
      const page = await client.call('GET /v1/changes', { query, signal });
      return { items: page.facts, cursor: page.cursor };
    },
    [since, until, change, round],
  );
  return (
    <section>
      <h3>{own.changes[change]}</h3>
      <VirtualRows
        label={own.changes[change]}
        paged={facts}
        keyOf={({ id }) => id}
        empty={<Empty title={own.noChange[change]} />}
      >
        {(fact) => <FactLine fact={fact} />}
      </VirtualRows>
    </section>
  );
};
