import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fill } from '../texts/texts.ts';
import { Field } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useTexts } from './use-texts.ts';

interface ConfirmProps {
  readonly title: string;
  readonly submit: string;
  /** What the reader has to type, for what can never be undone. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done that takes something away. */
export const ConfirmDialog = ({ title, submit, typed, onConfirm, onClose, children }: ConfirmProps) => (
  <FormDialog title={title} submit={submit} isDangerous onSubmit={onConfirm} onClose={onClose}>
    {children}
    {typed !== undefined && <TypedWord typed={typed} />}
  </FormDialog>
);

/** A form is not sent before the exact word stands in it. */
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
