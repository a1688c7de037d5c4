import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { useTexts } from './use-texts.ts';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  /** What it is for, and what to do with it. */
  readonly text: string;
  readonly onClose: () => void;
}

/** A secret that is shown once. It is nowhere but in this dialog, and is gone with it. */
export const SecretDialog = ({ title, secret, text, onClose }: SecretProps) => {
  const texts = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <pre class="secret">{secret}</pre>
      <div class="dialog-end">
        <CopyButton text={secret} />
        <button type="button" class="primary" onClick={onClose}>
          {texts.secret.kept}
        </button>
      </div>
    </Dialog>
  );
};
