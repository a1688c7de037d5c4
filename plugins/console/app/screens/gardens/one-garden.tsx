import type { Garden } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { DetailView } from '../../kit/detail-view.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { GardenMembers } from './garden-members.tsx';
import { QuarantineInbox } from './quarantine-inbox.tsx';

/** A garden with its members and its facts in quarantine. */
export const OneGarden = ({ name }: { name: string }) => {
  const { client } = useSession();
  const asked = useRequest((signal) => client.gardens.get(name, { signal }), [name]);
  const actions = useActions(asked.reload);
  return (
    <DetailView screen="gardens" asked={asked}>
      {(garden) => <Shown garden={garden} actions={actions} />}
    </DetailView>
  );
};

const Shown = ({ garden, actions }: { garden: Garden; actions: Actions }) => {
  const { reader, setup, own } = useSession('gardens');
  const role = garden.members.find(({ entity_uri: entity }) => entity === reader.entity_uri)?.role;
  const isKeeper = may(reader, 'admin') || role === 'admin';
  const canDecide = may(reader, 'write') && (isKeeper || role === 'quarantine:moderator');
  return (
    <>
      <ScreenHead title={<ShownText text={garden.name} />}>
        <a class="button" href={addressOf('facts', { garden_id: garden.garden_id })}>
          {own.facts}
        </a>
        {isKeeper && may(reader, 'write', 'admin') && (
          <Button
            text={own.remove}
            class="danger"
            onClick={() => actions.show(<DeleteGarden garden={garden} onClose={actions.close} />)}
          />
        )}
      </ScreenHead>
      {actions.view}
      {garden.description !== null && (
        <p class="lead">
          <ShownText text={garden.description} short={false} />
        </p>
      )}
      <dl class="members">
        <dt>{own.uri}</dt>
        <dd>
          <code class="shown">{garden.garden_id}</code>
        </dd>
        <dt>{own.scope}</dt>
        <dd>
          <span class="tag">{garden.scope}</span> {garden.quarantine && <span class="tag warn">{own.quarantine}</span>}
        </dd>
        <dt>{own.createdBy}</dt>
        <dd>
          <ShownText text={garden.created_by} /> <Instant at={garden.created_at} />
        </dd>
      </dl>
      <GardenMembers garden={garden} isKeeper={isKeeper} actions={actions} />
      {garden.quarantine && hasRoute(setup, 'GET /v1/quarantine') && (
        <section>
          <h2>{own.waiting}</h2>
          <QuarantineInbox garden={garden} gardens={[garden]} canDecide={canDecide} />
        </section>
      )}
    </>
  );
};

const DeleteGarden = ({ garden, onClose }: { garden: Garden; onClose: () => void }) => {
  const { client, texts } = useSession();
  const { open } = useAddress();
  const { gardens: own } = texts;
  return (
    <ConfirmDialog
      title={fill(own.removeTitle, { name: garden.name })}
      submit={own.remove}
      typed={garden.slug}
      onClose={onClose}
      onConfirm={async () => {
        await client.gardens.remove(garden.slug);
        open('gardens');
      }}
    >
      <p>{own.removeText}</p>
    </ConfirmDialog>
  );
};
