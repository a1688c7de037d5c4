import type { ComponentChildren } from 'preact';
import { Problem } from './problem.tsx';
import type { Action } from './use-action.ts';
import { useTexts } from './use-texts.ts';

interface ActionFormProps {
  readonly action: Action;
  readonly submit: string;
  readonly working: string;
  readonly isDanger?: boolean;
  /** What is wrong with the fields before the node is asked. */
  readonly complaint?: string | undefined;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** The form of a dialog: its fields, what the node had against them, and the buttons that end it. */
export const ActionForm = ({
  action,
  submit,
  working,
  isDanger = false,
  complaint,
  onSubmit,
  onCancel,
  children,
}: ActionFormProps) => {
  const { cancel } = useTexts();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {complaint !== undefined && (
        <p class="problem" role="alert">
          {complaint}
        </p>
      )}
      {action.error !== undefined && <Problem error={action.error} />}
      <div class="dialog-end">
        <button type="button" onClick={onCancel}>
          {cancel}
        </button>
        <button type="submit" class={isDanger ? 'danger' : 'primary'} disabled={action.isWorking}>
          {action.isWorking ? working : submit}
        </button>
      </div>
    </form>
  );
};
