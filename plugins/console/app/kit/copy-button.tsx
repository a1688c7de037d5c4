import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { copyText, later } from './platform.ts';
import { useTexts } from './use-texts.ts';

const SHOWN_MS = 2_000;

export const CopyButton = ({ text, label }: { text: string; label?: string }) => {
  const texts = useTexts();
  const [wasCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    later(SHOWN_MS, () => setCopied(false));
  };
  return (
    <>
      <Button text={wasCopied ? texts.copied : (label ?? texts.copy)} class="quiet" onClick={() => void copy()} />
      {/* Beside the button: a status inside would leave the button without a name. */}
      <span role="status" class="unseen">
        {wasCopied && texts.copied}
      </span>
    </>
  );
};
