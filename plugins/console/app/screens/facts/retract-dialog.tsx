import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { ActionForm } from '../../kit/action-form.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useSession } from '../../session/session.ts';
import { SourceField } from './assert-fields.tsx';

interface RetractDialogProps {
  readonly fact: Fact;
  readonly onRetracted: (retraction: Fact) => void;
  readonly onClose: () => void;
}

/** Asks before a triple is ended, because that reaches every fact of it, whoever said it. */
export const RetractDialog = ({ fact, onRetracted, onClose }: RetractDialogProps) => {
  const { client, reader, texts } = useSession();
  const [source, setSource] = useState(reader.entity_uri);
  const action = useAction();
  const { entity, relation, scope, garden_id } = fact;
  const submit = (): void =>
    void action.run(async () => onRetracted(await client.retract({ entity, relation, scope, garden_id, source })));
  return (
    <Dialog title={texts.retract.title} onClose={onClose}>
      <ActionForm
        action={action}
        submit={texts.retract.submit}
        working={texts.retract.working}
        isDanger
        onSubmit={submit}
        onCancel={onClose}
      >
        <p>
          <ShownText text={entity} /> · <ShownText text={relation} /> · <ShownValue value={fact.value} />
        </p>
        <p>{texts.retract.intro}</p>
        <SourceField source={source} onChange={setSource} />
      </ActionForm>
    </Dialog>
  );
};
