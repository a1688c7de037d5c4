import type { BodyOf } from '../../../../../client/client.ts';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';

/** Registers a signed declaration: of a peer, or of this node towards a peer. */
export const AddPeer = ({ actions }: { actions: Actions }) => {
  const { client, texts } = useSession();
  const { peers: own } = texts;
  return (
    <FormDialog
      title={own.add}
      submit={own.add}
      onClose={actions.close}
      onSubmit={async (values) => {
        const body = JSON.parse(values.text('declaration')) as BodyOf<'POST /v1/federation/peers'>;
        const { status } = await client.call('POST /v1/federation/peers', { body });
        actions.done(own.added[status]);
      }}
    >
      <p>{own.addText}</p>
      <Field label={own.declaration} hint={own.declarationHint}>
        {(ids) => (
          <textarea
            {...ids}
            name="declaration"
            rows={8}
            required
            spellcheck={false}
            onInput={({ currentTarget: area }) => area.setCustomValidity(isJson(area.value) ? '' : own.notJson)}
          />
        )}
      </Field>
    </FormDialog>
  );
};

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
};
