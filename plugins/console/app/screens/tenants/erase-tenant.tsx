import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

export const EraseTenant = ({ id, actions }: { id: string; actions: Actions }) => {
  const { client, own } = useSession('tenants');
  return (
    <ConfirmDialog
      title={fill(own.eraseTitle, { id })}
      submit={own.erase}
      typed={id}
      onClose={actions.close}
      onConfirm={async () => {
        const { status } = await client.call('DELETE /v1/tenants/{id}', { params: { id }, body: { confirm: id } });
        actions.done(fill(status === 'erased' ? own.erased : own.erasing, { id }));
      }}
    >
      <p>{own.eraseText}</p>
    </ConfirmDialog>
  );
};
