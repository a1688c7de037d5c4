import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { type FormValues, readForm } from './form-values.ts';
import { Problem } from './problem.tsx';
import { useTexts } from './use-texts.ts';

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Called with the form values. If it rejects, the dialog stays open and shows the error. */
  readonly onSubmit: (values: FormValues) => Promise<void>;
  readonly onClose: () => void;
  /** Called when the dialog closes after an error, because what it shows may have changed. */
  readonly onOutdated?: () => void;
  readonly children?: ComponentChildren;
}

/** A dialog with a form. It stays open until the node has answered, and shows refusals beside the entered values. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, submit, isDangerous = false, onSubmit, onClose, onOutdated, children } = props;
  const texts = useTexts();
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    try {
      await onSubmit(readForm(event.currentTarget as HTMLFormElement));
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  const leave = (): void => {
    onClose();
    if (error !== undefined) onOutdated?.();
  };
  return (
    <Dialog title={title} onClose={leave}>
      <form onSubmit={(event) => void send(event)}>
        {children}
        {error !== undefined && <Problem error={error} />}
        <div class="dialog-end">
          <Button text={texts.cancel} onClick={leave} />
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isWorking}>
            {isWorking ? `${texts.working}…` : submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
