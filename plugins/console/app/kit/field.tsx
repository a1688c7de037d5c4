import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { fill } from '../texts/texts.ts';
import { Term } from './term.tsx';
import { useTexts } from './use-texts.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The meaning of a term of art in the label, which appears on request. */
  readonly means?: { readonly name: string; readonly text: string } | undefined;
  /** Renders the control with the given id and description. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby'?: string }) => ComponentChildren;
}

/** A control with its label and an optional hint, which screen readers announce with it. */
export const Field = ({ label, hint, means, children }: FieldProps) => {
  const { terms } = useTexts();
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {means !== undefined && (
        <Term name={means.name} means={means.text} label={fill(terms.about, { term: label })}>
          ?
        </Term>
      )}
      {children(hint === undefined ? { id } : { id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
};
