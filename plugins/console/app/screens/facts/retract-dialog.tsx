import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useSession } from '../../session/session.ts';
import { SourceField } from './assert-fields.tsx';

interface RetractDialogProps {
  readonly fact: Fact;
  readonly onRetracted: (retraction: Fact) => void;
  readonly onClose: () => void;
  /** Called when the dialog closes after the fact has ended elsewhere. */
  readonly onOutdated: () => void;
}

/** Asks what ends: this fact alone, or every fact of its triple, also those of other sources. */
export const RetractDialog = ({ fact, onRetracted, onClose, onOutdated }: RetractDialogProps) => {
  const { client, reader, texts } = useSession();
  const [source, setSource] = useState(reader.entity_uri);
  const [isAlone, setAlone] = useState(false);
  const { entity, relation, scope, garden_id, id } = fact;
  const ended = { entity, relation, scope, garden_id, ...(isAlone && { replaces: [id] }) };
  return (
    <FormDialog
      title={texts.retract.title}
      submit={texts.retract.submit}
      isDangerous
      onSubmit={async () => onRetracted(await client.retract({ ...ended, source }))}
      onClose={onClose}
      onOutdated={onOutdated}
    >
      <p>
        <ShownText text={entity} /> · <ShownText text={relation} /> · <ShownValue value={fact.value} />
      </p>
      <p>{isAlone ? texts.retract.introAlone : texts.retract.intro}</p>
      <label class="check">
        <input type="checkbox" checked={isAlone} onChange={({ currentTarget }) => setAlone(currentTarget.checked)} />
        {texts.retract.alone}
      </label>
      <SourceField source={source} onChange={setSource} />
    </FormDialog>
  );
};
