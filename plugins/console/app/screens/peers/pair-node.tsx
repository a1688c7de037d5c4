import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChecksField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { saveJson } from '../../kit/save-file.ts';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { AddPeer } from './add-peer.tsx';
import { textOfDeclaration } from './declaration-text.ts';

const PATH = 'POST /v1/federation/declarations';
const DIRECTIONS = ['bidirectional', 'outbound', 'inbound'] as const;
const SHARED = ['public', 'company'] as const;

/** Makes the declaration of this node for another one. */
export const PairNode = ({ actions }: { actions: Actions }) => {
  const { client, own } = useSession('peers');
  return (
    <FormDialog
      title={own.pair}
      submit={own.makeDeclaration}
      onClose={actions.close}
      onSubmit={async (values) => {
        const made = await client.call(PATH, {
          body: {
            peer: values.text('peer'),
            allowed_scopes: SHARED.filter((scope) => values.many('scopes').includes(scope)),
            direction: DIRECTIONS.find((each) => each === values.text('direction')) ?? 'bidirectional',
          },
        });
        actions.done(own.added[made.status], <OwnDeclaration made={made} actions={actions} />);
      }}
    >
      <p>{own.pairText}</p>
      <TextField name="peer" label={own.otherNode} hint={own.otherNodeHint} isRequired maxLength={256} />
      <ChecksField name="scopes" label={own.scopes} options={SHARED} checked={['public']} />
      <ChoiceField
        name="direction"
        label={own.direction}
        options={DIRECTIONS.map((value) => ({ value, label: own.directions[value] }))}
      />
    </FormDialog>
  );
};

/** Shows the declaration of this node, with the code that two people compare by voice. */
const OwnDeclaration = ({ made, actions }: { made: AnswerOf<typeof PATH>; actions: Actions }) => {
  const { own } = useSession('peers');
  const { declaration, code, node_id: node } = made;
  return (
    <Dialog title={fill(own.madeFor, { node })} onClose={actions.close}>
      <ol>
        <li>{own.giveIt}</li>
        <li>{own.readCode}</li>
        <li>{own.takeTheirs}</li>
      </ol>
      <pre class="secret">{code}</pre>
      <div class="dialog-end">
        <CopyButton text={textOfDeclaration(declaration)} label={own.copyDeclaration} />
        <Button text={own.saveDeclaration} class="quiet" onClick={() => saveJson(declaration, 'declaration.json')} />
        <Button text={own.add} class="primary" onClick={() => actions.show(<AddPeer actions={actions} />)} />
      </div>
    </Dialog>
  );
};
