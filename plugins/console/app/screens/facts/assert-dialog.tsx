import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { instantOf } from '../../kit/moment-field.tsx';
import { SCOPES } from '../../kit/scopes.ts';
import { readDraft, type ValueDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { may, useSession } from '../../session/session.ts';
import { type AboutFact, AboutFields, TripleFields } from './assert-fields.tsx';

interface AssertDialogProps {
  /** The entity of the fact, if the reader comes from one. */
  readonly entity?: string | undefined;
  readonly onAsserted: (fact: Fact) => void;
  readonly onClose: () => void;
}

/** Asserts a fact. The node checks the input, and its messages appear beside the fields. */
export const AssertDialog = ({ entity = '', onAsserted, onClose }: AssertDialogProps) => {
  const { client, reader, texts } = useSession();
  const [triple, setTriple] = useState({ entity, relation: '' });
  const [draft, setDraft] = useState<ValueDraft>({ type: 'string', text: '' });
  const [about, setAbout] = useState<AboutFact>({
    source: reader.entity_uri,
    scope: usualScope(reader.allowed_scopes),
    garden: '',
    confidence: '1',
    validFrom: '',
    validUntil: '',
  });
  const [isInstruction, setInstruction] = useState(false);
  const assert = async (): Promise<void> => {
    const value = readDraft(draft);
    if (value === undefined) throw new Error(texts.value.unfit);
    const fact = await client.assert({
      ...triple,
      value: isInstruction ? { ...value, interpret_as: 'instruction' } : value,
      source: about.source,
      scope: about.scope,
      confidence: Number(about.confidence),
      garden_id: about.garden || undefined,
      valid_from: instantOf(about.validFrom),
      valid_until: instantOf(about.validUntil),
    });
    onAsserted(fact);
  };
  return (
    <FormDialog title={texts.assert.title} submit={texts.assert.submit} onSubmit={assert} onClose={onClose}>
      <TripleFields triple={triple} onChange={setTriple} />
      <ValueField draft={draft} onChange={setDraft} />
      {may(reader, 'instruction:write') && (
        <label class="check">
          <input
            type="checkbox"
            checked={isInstruction}
            onChange={({ currentTarget }) => setInstruction(currentTarget.checked)}
          />
          {texts.assert.instruction}
        </label>
      )}
      <AboutFields about={about} onChange={setAbout} />
    </FormDialog>
  );
};

/** Returns the narrowest scope of the key, `local` if it has that. */
const usualScope = (scopes: readonly Fact['scope'][]): Fact['scope'] =>
  SCOPES.find((scope) => scopes.includes(scope)) ?? 'local';
