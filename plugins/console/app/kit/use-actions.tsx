import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

/** The actions of a screen: one dialog at a time, and a line with the last result. */
export interface Actions {
  /** The result line and the open dialog. A screen renders them below its heading. */
  readonly view: ComponentChildren;
  show(dialog: ComponentChildren): void;
  close(): void;
  /** Closes the dialog, shows the result and reloads the list. `next` is a dialog that follows. */
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
