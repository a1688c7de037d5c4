import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

/** What a reader does on a screen: a dialog at a time, and a line that says what came of the last one. */
export interface Actions {
  /** The line and the open dialog. A screen draws them below its heading. */
  readonly view: ComponentChildren;
  show(dialog: ComponentChildren): void;
  close(): void;
  /** Closes the dialog, says what happened and reads the list again; `next` is a dialog that follows. */
  done(message: string, next?: ComponentChildren): void;
}

export const useActions = (reload: () => void): Actions => {
  const [dialog, show] = useState<ComponentChildren>();
  const [message, say] = useState('');
  return {
    view: (
      <>
        <Notice>{message}</Notice>
        {dialog}
      </>
    ),
    show: (next) => {
      say('');
      show(next);
    },
    close: () => show(undefined),
    done: (text, next) => {
      show(next);
      say(text);
      reload();
    },
  };
};
