import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { later } from './platform.ts';
import { useTexts } from './use-texts.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The element that had the focus before the open dialog, and gets it back. Only one dialog is open at a time. */
let opener: HTMLElement | undefined;

/** A modal dialog of the platform: it holds the focus, closes on Escape, and returns the focus. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const focused = useRef<HTMLElement | null>(null);
  const texts = useTexts();
  // An ordinary effect would run a frame later, and keys that are typed until then would be lost.
  useLayoutEffect(() => {
    const before = document.activeElement;
    // If a dialog follows another one, the focused element is already gone.
    if (before instanceof HTMLElement && before !== document.body && !before.closest('dialog')) opener = before;
    element.current?.showModal();
    // By default the platform would focus the close button.
    const find = (selector: string) => element.current?.querySelector<HTMLElement>(selector);
    (find('[data-first-focus]') ?? find('form :is(input, select, textarea)'))?.focus();
    return () => {
      // A dialog that is removed from the page does not return the focus by itself.
      isGone.current = true;
      later(0, () => document.activeElement === document.body && opener?.focus());
    };
  }, []);
  useLayoutEffect(() => {
    // A button that is disabled while it works loses the focus, and gets it back when the node has refused.
    if (document.activeElement === document.body) focused.current?.focus();
  });
  return (
    <dialog
      ref={element}
      onClose={() => isGone.current || onClose()}
      onFocusIn={({ target }) => {
        focused.current = target as HTMLElement;
      }}
      aria-labelledby="dialog-title"
    >
      <header class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" aria-label={texts.close} onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
};
