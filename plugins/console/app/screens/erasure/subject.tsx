import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { HideDialog } from './hide-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { stateOf, type Tombstone, type Tombstones } from './tombstone.ts';
import { TombstoneState } from './tombstone-state.tsx';

/** One entity with its tombstones and the possible actions. */
export const Subject = ({ entity }: { entity: string }) => {
  const { client, reader, setup, own } = useSession('erasure');
  const asked = useRequest(
    (signal) => client.call('GET /v1/tombstones/{entity_uri}', { params: { entity_uri: entity }, signal }),
    [entity],
  );
  const actions = useActions(asked.reload);
  const canExport = may(reader, 'read') && hasRoute(setup, 'POST /v1/subjects/export');
  return (
    <section>
      <ScreenHead title={<ShownText text={entity} />} level={2}>
        <a class="button" href={addressOf('facts', { entity })}>
          {own.facts}
        </a>
        {canExport && (
          <Button
            text={own.export}
            onClick={() => actions.show(<ExportDialog entity={entity} onClose={actions.close} />)}
          />
        )}
        <Button
          text={own.hide}
          class="danger"
          onClick={() => actions.show(<HideDialog entity={entity} actions={actions} />)}
        />
      </ScreenHead>
      {actions.view}
      <Answer asked={asked}>
        {(data) => (
          <>
            <p>{data.tombstoned ? own.isHidden : own.isShown}</p>
            <TombstoneTable data={data} actions={actions} />
            {data.truncated && <p class="muted">{own.truncated}</p>}
          </>
        )}
      </Answer>
    </section>
  );
};

const TombstoneTable = ({ data, actions }: { data: Tombstones; actions: Actions }) => {
  const { texts, own } = useSession('erasure');
  return (
    <RecordTable
      label={own.tombstones}
      columns={[
        {
          title: own.state,
          show: (each: Tombstone) => <TombstoneState tombstone={each} state={stateOf(each, data)} />,
        },
        { title: own.scope, show: ({ scope }) => <span class="tag">{scope === '*' ? own.allScopes : scope}</span> },
        { title: own.reason, show: ({ reason }) => <ShownText text={reason ?? '–'} /> },
        { title: own.signedBy, show: ({ signed_by: signer }) => <ShownText text={signer} /> },
        { title: own.since, show: ({ created_at: at }) => <Instant at={at} relative /> },
      ]}
      rows={data.tombstones}
      keyOf={({ id }) => id}
      empty={<Empty title={own.nothing} hint={own.nothingHint} />}
      actionsTitle={texts.actions}
      actions={(each) => <TombstoneActions tombstone={each} data={data} actions={actions} />}
    />
  );
};

interface RowProps {
  readonly tombstone: Tombstone;
  readonly data: Tombstones;
  readonly actions: Actions;
}

const TombstoneActions = ({ tombstone, data, actions }: RowProps) => {
  const { setup, own } = useSession('erasure');
  const state = stateOf(tombstone, data);
  if (state === 'revoked') return null;
  return (
    <>
      {state === 'active' && (
        <Button
          text={own.revoke}
          onClick={() => actions.show(<RevokeDialog tombstone={tombstone} actions={actions} />)}
        />
      )}
      {hasRoute(setup, 'POST /v1/tombstones/{id}/erase') && (
        <Button
          text={state === 'erased' ? own.eraseAgain : own.erase}
          class="danger"
          onClick={() => actions.show(<EraseDialog tombstone={tombstone} actions={actions} />)}
        />
      )}
    </>
  );
};
