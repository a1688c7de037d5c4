import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Renders the control with the given id and description. */
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby'?: string }) => ComponentChildren;
}

/** A control with its label and an optional hint, which screen readers announce with it. */
export const Field = ({ label, hint, children }: FieldProps) => {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(hint === undefined ? { id } : { id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
};
