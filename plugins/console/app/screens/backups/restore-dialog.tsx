import { Button } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { fill } from '../../texts/texts.ts';
import type { Backup } from './backups.tsx';

/** The steps of a restore. A running node cannot replace its own store, so they are commands. */
export const RestoreDialog = ({ backup, onClose }: { backup: Backup; onClose: () => void }) => {
  const texts = useTexts();
  const { backups: own } = texts;
  const commands = [
    `fact-memory-node restore ${backup.id} --replace`,
    'fact-memory-node verify',
    'fact-memory-node start',
  ].join('\n');
  return (
    <Dialog title={fill(own.restoreOf, { id: backup.id })} onClose={onClose}>
      <p>{own.restoreText}</p>
      <ol>
        <li>{own.stop}</li>
        {!backup.has_key && <li>{own.putKey}</li>}
        <li>{own.runThese}</li>
      </ol>
      <ScrollBox label={own.commands} class="document">
        <pre>{commands}</pre>
      </ScrollBox>
      <p class="hint">{own.keepsOld}</p>
      {backup.erasures_since > 0 && <p class="hint">{own.erasedAgain}</p>}
      <div class="dialog-end">
        <CopyButton text={commands} label={own.copy} />
        <Button text={texts.close} class="primary" onClick={onClose} data-first-focus />
      </div>
    </Dialog>
  );
};
