import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { plural } from '../texts/texts.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import type { Step } from './use-steps.ts';
import { useTexts } from './use-texts.ts';

/** The result of an action on many items, and the writes that take it back. */
export interface BulkResult {
  readonly says: string;
  /** The writes of an undo. */
  readonly undo: readonly Step[];
  /** The effect of the undo, for its preview. */
  readonly undoDoes: string;
}

export interface Bulk {
  /** The result line with its undo, and the open dialog. */
  readonly view: ComponentChildren;
  show(dialog: ComponentChildren): void;
  close(): void;
  /** Closes the dialog, shows the result and reloads the list. */
  done(result: BulkResult): void;
}

/** Actions on many items of a screen: one dialog at a time, and an undo of the last action. */
export const useBulk = (reload: () => void): Bulk => {
  const { bulk: texts } = useTexts();
  const [dialog, show] = useState<ComponentChildren>();
  const [result, setResult] = useState<BulkResult>();
  const close = (): void => show(undefined);
  const takeBack = ({ undo, undoDoes, says }: BulkResult): void =>
    show(
      <BulkDialog
        title={texts.undoTitle}
        submit={texts.undo}
        steps={undo}
        undo={undoDoes}
        onClose={(done) => {
          close();
          if (done.size === 0) return;
          const rest = undo.filter(({ id }) => !done.has(id));
          setResult({ says: rest.length > 0 ? says : plural(texts.undone, undo.length), undo: rest, undoDoes });
          reload();
        }}
      />,
    );
  return {
    view: (
      <>
        <Notice>
          {result !== undefined && (
            <>
              {result.says} {result.undo.length > 0 && <Button text={texts.undo} onClick={() => takeBack(result)} />}
            </>
          )}
        </Notice>
        {dialog}
      </>
    ),
    show,
    close,
    done(next) {
      close();
      setResult(next);
      reload();
    },
  };
};
