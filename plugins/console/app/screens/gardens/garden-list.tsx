import type { Garden } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import type { Texts } from '../../texts/texts.ts';
import { NewGarden } from './new-garden.tsx';
import { QuarantineInbox } from './quarantine-inbox.tsx';

/** The gardens of the reader, and below them the facts in quarantine. */
export const GardenList = () => {
  const { client, texts, reader, setup, own } = useSession('gardens');
  const gardens = useRequest((signal) => client.gardens.list({ signal }), []);
  const actions = useActions(gardens.reload);
  const canCreate = may(reader, 'write') && hasRoute(setup, 'POST /v1/gardens');
  return (
    <>
      <ScreenHead title={texts.screens.gardens}>
        {canCreate && (
          <Button text={own.create} class="primary" onClick={() => actions.show(<NewGarden actions={actions} />)} />
        )}
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <Answer asked={gardens}>
        {(all) => (
          <>
            <RecordTable
              label={texts.screens.gardens}
              columns={columnsOf(own)}
              rows={all}
              keyOf={({ id }) => id}
              empty={<Empty title={own.nothing} hint={canCreate ? own.nothingHint : own.nothingHintRead} />}
            />
            {all.some(({ quarantine }) => quarantine) && hasRoute(setup, 'GET /v1/quarantine') && (
              <section>
                <h2>{own.waiting}</h2>
                <QuarantineInbox gardens={all} canDecide={may(reader, 'write')} />
              </section>
            )}
          </>
        )}
      </Answer>
    </>
  );
};

const columnsOf = (texts: Texts['gardens']): readonly Column<Garden>[] => [
  {
    title: texts.name,
    show: ({ name, slug, quarantine }) => (
      <>
        <a href={addressOf('gardens', { garden: slug })}>
          <ShownText text={name} />
        </a>{' '}
        {quarantine && <span class="tag warn">{texts.quarantine}</span>}
      </>
    ),
  },
  { title: texts.slug, show: ({ slug }) => <code>{slug}</code> },
  { title: texts.scope, show: ({ scope }) => <span class="tag">{scope}</span> },
  { title: texts.createdBy, show: ({ created_by: by }) => <ShownText text={by} /> },
  { title: texts.created, show: ({ created_at: at }) => <Instant at={at} relative /> },
];
