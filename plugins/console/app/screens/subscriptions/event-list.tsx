import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Empty } from '../../kit/state.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { useTexts } from '../../kit/use-texts.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { LOCALE, plural } from '../../texts/texts.ts';

type Event = AnswerOf<'GET /v1/subscriptions/{id}/events'>['events'][number];

const PAGE_EVENTS = 100;

/** Replays the stored events, from the start or after an event, with the state of each delivery. */
export const EventList = ({ id, seconds }: { id: string; seconds: number }) => {
  const { client, own } = useSession('subscriptions');
  const [after, setAfter] = useState<string | undefined>();
  const events = usePaged<Event>(
    async (cursor, signal) => {
      const page = await client.call('GET /v1/subscriptions/{id}/events', {
        params: { id },
        query: { limit: PAGE_EVENTS, ...(cursor ? { cursor } : after && { after }) },
        signal,
      });
      return { items: page.events, cursor: page.cursor };
    },
    [id, after],
  );
  return (
    <section>
      <ScreenHead title={own.kept} level={2}>
        {after !== undefined && <Button text={own.fromBeginning} onClick={() => setAfter(undefined)} />}
        <Button text={own.replay} onClick={events.reload} />
      </ScreenHead>
      <p class="muted">
        {own.keptText} {DURATION.format(seconds / SECONDS_PER_MINUTE)}
      </p>
      {events.items.length > 0 && <NumberTerms names={['attempts']} />}
      <VirtualRows
        label={own.kept}
        paged={events}
        keyOf={({ event_id: key }) => key}
        empty={<Empty title={after === undefined ? own.noEvents : own.noLaterEvents} hint={own.noEventsHint} />}
      >
        {(event) => <EventLine event={event} onAfter={() => setAfter(event.event_id)} />}
      </VirtualRows>
    </section>
  );
};

const SECONDS_PER_MINUTE = 60;
const DURATION = new Intl.NumberFormat(LOCALE, { style: 'unit', unit: 'minute', unitDisplay: 'long' });

const EventLine = ({ event, onAfter }: { event: Event; onAfter: () => void }) => {
  const { subscriptions: own } = useTexts();
  const { event_type: type, entity_uri: entity, payload, delivery_status: status, delivery_attempts: tries } = event;
  return (
    <RecordLine
      head={
        <>
          <span class="tag">{own.events[type]}</span>
          {entity !== null && (
            <a href={addressOf('entities', { uri: entity })}>
              <ShownText text={entity} />
            </a>
          )}
          {payload !== null && (
            <>
              <a class="fact-relation" href={addressOf('facts', { id: payload.id })}>
                <ShownText text={payload.relation} />
              </a>
              <ShownValue value={payload.value} />
            </>
          )}
        </>
      }
      about={
        <>
          <span class={`tag ${STATUS_CLASS[status]}`}>{own.deliveries[status]}</span>
          <span>{plural(own.attempts, tries)}</span>
          <Instant at={event.created_at} relative />
          {event.delivered_at !== null && (
            <span>
              {own.deliveredAt} <Instant at={event.delivered_at} relative />
            </span>
          )}
          <code class="shown">{event.event_id}</code>
        </>
      }
      actions={<Button text={own.afterThis} onClick={onAfter} />}
    />
  );
};

const STATUS_CLASS = { pending: '', delivering: 'warn', delivered: 'good', failed: 'bad', dropped: 'warn' } as const;
