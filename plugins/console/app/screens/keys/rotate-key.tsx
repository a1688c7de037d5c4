import { drawKey } from '../../kit/draw-secret.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { mayBeDone } from '../../kit/may-be-done.ts';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import { OVERLAPS, readSpan, SpanField } from '../../kit/span-field.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { type Key, nameOf } from './key.ts';

/** Replaces a key. The former one stays valid for a while, so that programs can change over. */
export const RotateKey = ({ apiKey, actions }: { apiKey: Key; actions: Actions }) => {
  const { client, own } = useSession('keys');
  const name = nameOf(apiKey);
  return (
    <FormDialog
      title={fill(own.rotateOf, { name })}
      submit={own.rotate}
      onClose={actions.close}
      onSubmit={async (values) => {
        const rawKey = drawKey();
        const show = (message: string, text: string): void =>
          actions.done(
            fill(message, { name }),
            <SecretDialog title={own.secretTitle} secret={rawKey} text={text} onClose={actions.close} />,
          );
        try {
          await client.call('POST /v1/auth/keys/{id}/rotate', {
            params: { id: apiKey.id },
            body: { raw_key: rawKey, overlap_s: readSpan(values, 'overlap') },
          });
        } catch (error) {
          if (!mayBeDone(error)) throw error;
          show(own.unconfirmed, own.unconfirmedText);
          return;
        }
        show(own.rotated, own.secretText);
      }}
    >
      <p>{own.rotateText}</p>
      <SpanField name="overlap" label={own.overlap} among={OVERLAPS} value="day" />
    </FormDialog>
  );
};
