import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fill } from '../texts/texts.ts';
import { Field } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useTexts } from './use-texts.ts';

interface ConfirmProps {
  readonly title: string;
  readonly submit: string;
  /** A word that the reader must type to confirm an action that cannot be undone. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before an action that removes something. */
export const ConfirmDialog = ({ title, submit, typed, onConfirm, onClose, children }: ConfirmProps) => (
  <FormDialog title={title} submit={submit} isDangerous onSubmit={onConfirm} onClose={onClose}>
    {children}
    {typed !== undefined && <TypedWord typed={typed} />}
  </FormDialog>
);

/** A field that accepts only the exact word. */
export const TypedWord = ({ typed }: { typed: string }) => {
  const { confirm: texts } = useTexts();
  const [given, setGiven] = useState('');
  return (
    <Field label={texts.type} hint={fill(texts.typeHint, { word: typed })}>
      {(ids) => (
        <input
          {...ids}
          name="confirm"
          required
          autoComplete="off"
          spellcheck={false}
          value={given}
          ref={(element) => element?.setCustomValidity(given === typed ? '' : texts.typeWrong)}
          onInput={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      )}
    </Field>
  );
};
