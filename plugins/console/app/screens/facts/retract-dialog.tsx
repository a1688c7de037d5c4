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
}

/** Asks for confirmation, because a retraction ends every fact of the triple, also those of other sources. */
export const RetractDialog = ({ fact, onRetracted, onClose }: RetractDialogProps) => {
  const { client, reader, texts } = useSession();
  const [source, setSource] = useState(reader.entity_uri);
  const { entity, relation, scope, garden_id } = fact;
  return (
    <FormDialog
      title={texts.retract.title}
      submit={texts.retract.submit}
      isDangerous
      onSubmit={async () => onRetracted(await client.retract({ entity, relation, scope, garden_id, source }))}
      onClose={onClose}
    >
      <p>
        <ShownText text={entity} /> · <ShownText text={relation} /> · <ShownValue value={fact.value} />
      </p>
      <p>{texts.retract.intro}</p>
      <SourceField source={source} onChange={setSource} />
    </FormDialog>
  );
};
