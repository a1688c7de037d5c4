import { useState } from 'preact/hooks';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { type Declaration, readDeclaration } from './declaration-text.ts';

/** Registers a signed declaration from a text or a file: of a peer, or of this node towards a peer. */
export const AddPeer = ({ actions }: { actions: Actions }) => {
  const { client, own } = useSession('peers');
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={own.add}
      submit={own.add}
      onClose={actions.close}
      onSubmit={async (values) => {
        const code = values.optional('code');
        const { status } = await client.call('POST /v1/federation/peers', {
          body: readDeclaration(text) as Declaration,
          ...(code === undefined ? {} : { query: { code } }),
        });
        actions.done(own.added[status]);
      }}
    >
      <p>{own.addText}</p>
      <Field label={own.declaration} hint={own.declarationHint}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            required
            spellcheck={false}
            value={text}
            ref={(area) => area?.setCustomValidity(readDeclaration(text) === undefined ? own.noDeclaration : '')}
            onInput={({ currentTarget: area }) => setText(area.value)}
          />
        )}
      </Field>
      <Field label={own.file}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(setText)}
          />
        )}
      </Field>
      <TextField name="code" label={own.code} hint={own.codeHint} maxLength={64} />
    </FormDialog>
  );
};
