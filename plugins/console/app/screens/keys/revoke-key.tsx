import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { type Key, nameOf } from './key.ts';

export const RevokeKey = ({ apiKey, actions }: { apiKey: Key; actions: Actions }) => {
  const { client, reader, own } = useSession('keys');
  const name = nameOf(apiKey);
  return (
    <ConfirmDialog
      title={fill(own.revokeOf, { name })}
      submit={own.revoke}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/auth/keys/{id}', { params: { id: apiKey.id } });
        actions.done(fill(own.revoked, { name }));
      }}
    >
      <p>{own.revokeText}</p>
      {apiKey.entity_uri === reader.entity_uri && <p>{own.revokeOwn}</p>}
    </ConfirmDialog>
  );
};
