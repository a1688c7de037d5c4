import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { later } from './platform.ts';
import { useTexts } from './use-texts.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** What had the focus before the dialog that is open, which gets it back. There is one dialog at a time. */
let opener: HTMLElement | undefined;

/** A modal dialog of the platform: it keeps the focus, closes on Escape, and gives the focus back. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const texts = useTexts();
  useEffect(() => {
    const focused = document.activeElement;
    // A dialog that follows another one is opened by nothing that is still there.
    if (focused instanceof HTMLElement && focused !== document.body && !focused.closest('dialog')) opener = focused;
    element.current?.showModal();
    // The platform would choose the button that closes.
    const find = (selector: string) => element.current?.querySelector<HTMLElement>(selector);
    (find('[data-first-focus]') ?? find('form :is(input, select, textarea)'))?.focus();
    return () => {
      // A dialog that is taken out of the page does not give the focus back by itself.
      isGone.current = true;
      later(0, () => document.activeElement === document.body && opener?.focus());
    };
  }, []);
  return (
    <dialog ref={element} onClose={() => isGone.current || onClose()} aria-labelledby="dialog-title">
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
