import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { useTexts } from './use-texts.ts';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  /** The purpose of the secret, and advice. */
  readonly text: string;
  readonly onClose: () => void;
}

/** Shows a secret once. No other part of the page holds it. */
export const SecretDialog = ({ title, secret, text, onClose }: SecretProps) => {
  const texts = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <pre class="secret">{secret}</pre>
      <div class="dialog-end">
        <CopyButton text={secret} />
        <Button text={texts.secret.kept} class="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
};
