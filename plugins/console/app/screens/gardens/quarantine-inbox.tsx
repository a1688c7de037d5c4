import { useState } from 'preact/hooks';
import type { AnswerOf, Garden } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { useRequest } from '../../kit/use-request.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { WaitingValue } from './waiting-value.tsx';

type Item = AnswerOf<'GET /v1/quarantine'>['items'][number];
type Status = Item['quarantine_status'];

const STATUSES: readonly Status[] = ['pending', 'promoted', 'rejected'];
const PAGE_ITEMS = 100;

interface InboxProps {
  /** One garden; all gardens of the reader by default. */
  readonly garden?: Garden;
  readonly gardens: readonly Garden[];
  readonly canDecide: boolean;
}

/** Pending facts to promote or reject, and judged ones. */
export const QuarantineInbox = ({ garden, gardens, canDecide }: InboxProps) => {
  const { client, own } = useSession('gardens');
  const [status, setStatus] = useState<Status>('pending');
  const items = usePaged<Item>(
    async (cursor, signal) => {
      const offset = Number(cursor ?? 0);
      const page = await client.call('GET /v1/quarantine', {
        query: { quarantine_status: status, limit: PAGE_ITEMS, offset, ...(garden && { garden_id: garden.garden_id }) },
        signal,
      });
      const end = offset + page.items.length;
      return { items: page.items, cursor: page.items.length > 0 && end < page.total ? end : null };
    },
    [status, garden?.id],
  );
  const actions = useActions(items.reload);
  const isOpen = canDecide && status === 'pending';
  return (
    <>
      <div class="bar">
        <label>
          {own.status}{' '}
          <select value={status} onChange={({ currentTarget }) => setStatus(currentTarget.value as Status)}>
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {own.statuses[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {actions.view}
      <VirtualRows
        label={own.waiting}
        paged={items}
        keyOf={({ fact_id: id }) => id}
        empty={<Empty title={own.nothingWaits}>{status === 'pending' && <p>{own.nothingWaitsHint}</p>}</Empty>}
      >
        {(item) => (
          <RecordLine
            head={<WaitingFact item={item} />}
            about={<AboutItem item={item} gardens={gardens} />}
            actions={isOpen && <Decisions item={item} gardens={gardens} actions={actions} />}
          />
        )}
      </VirtualRows>
    </>
  );
};

/** Shows the value, which a moderator needs for a decision. */
const WaitingFact = ({ item }: { item: Item }) => (
  <>
    <a href={addressOf('facts', { id: item.fact_id })}>
      <ShownText text={item.entity} />
    </a>
    <span class="fact-relation">
      <ShownText text={item.relation} />
    </span>
    <WaitingValue id={item.fact_id} />
  </>
);

const AboutItem = ({ item, gardens }: { item: Item; gardens: readonly Garden[] }) => {
  const home = gardens.find(({ garden_id: id }) => id === item.quarantine_garden_id);
  return (
    <>
      <ShownText text={item.source} />
      <Instant at={item.timestamp} relative />
      <span class="tag">{item.quarantine_reason}</span>
      {home !== undefined && (
        <a href={addressOf('gardens', { garden: home.slug })}>
          <ShownText text={home.name} />
        </a>
      )}
      {item.quarantine_acted_by !== null && (
        <span>
          {item.quarantine_status} · <ShownText text={item.quarantine_acted_by} />{' '}
          <Instant at={item.quarantine_acted_at} relative />
        </span>
      )}
    </>
  );
};

interface DecisionProps {
  readonly item: Item;
  readonly gardens: readonly Garden[];
  readonly actions: Actions;
}

const Decisions = (props: DecisionProps) => {
  const { item, actions } = props;
  const { own } = useSession('gardens');
  return (
    <>
      <Button
        text={own.admit}
        aria-label={fill(own.admitOf, { entity: item.entity })}
        onClick={() => actions.show(<Admit {...props} />)}
      />
      <Button
        text={own.reject}
        class="danger"
        aria-label={fill(own.rejectOf, { entity: item.entity })}
        onClick={() => actions.show(<Reject {...props} />)}
      />
    </>
  );
};

const Admit = ({ item, gardens, actions }: DecisionProps) => {
  const { client, own } = useSession('gardens');
  const all = useRequest((signal) => client.gardens.list({ signal }), []);
  // A fact keeps its scope, so only gardens of that scope are offered.
  const scope = gardens.find(({ garden_id: id }) => id === item.quarantine_garden_id)?.scope;
  const targets = (all.data ?? []).filter((each) => !each.quarantine && (scope ?? each.scope) === each.scope);
  return (
    <FormDialog
      title={fill(own.admitOf, { entity: item.entity })}
      submit={own.admit}
      onClose={actions.close}
      onSubmit={async (values) => {
        const target = values.optional('target');
        const reason = values.optional('reason');
        await client.call('POST /v1/quarantine/{fact_id}/admit', {
          params: { fact_id: item.fact_id },
          body: { ...(target && { target_garden_id: target }), ...(reason && { reason }) },
        });
        actions.done(fill(own.admitted, { entity: item.entity }));
      }}
    >
      <p>
        <ShownText text={item.entity} /> · <ShownText text={item.relation} /> · <WaitingValue id={item.fact_id} />
      </p>
      <p>{own.admitText}</p>
      <ChoiceField
        name="target"
        label={own.target}
        options={[
          { value: '', label: own.outside },
          ...targets.map(({ garden_id: value, name: label }) => ({ value, label })),
        ]}
      />
      <TextField name="reason" label={own.reason} maxLength={1024} />
    </FormDialog>
  );
};

const Reject = ({ item, actions }: DecisionProps) => {
  const { client, own } = useSession('gardens');
  return (
    <FormDialog
      title={fill(own.rejectOf, { entity: item.entity })}
      submit={own.reject}
      isDangerous
      onClose={actions.close}
      onSubmit={async (values) => {
        const reason = values.optional('reason');
        await client.call('POST /v1/quarantine/{fact_id}/reject', {
          params: { fact_id: item.fact_id },
          body: { ...(reason && { reason }) },
        });
        actions.done(fill(own.rejected, { entity: item.entity }));
      }}
    >
      <p>
        <ShownText text={item.entity} /> · <ShownText text={item.relation} /> · <WaitingValue id={item.fact_id} />
      </p>
      <p>{own.rejectText}</p>
      <TextField name="reason" label={own.reason} maxLength={1024} />
    </FormDialog>
  );
};
