import { useEffect, useRef } from 'preact/hooks';

/** Calls back for a single pressed key, unless the reader is typing or a dialog is open. */
export const useShortcuts = (isOn: boolean, pressed: (key: string) => boolean): void => {
  const latest = useRef(pressed);
  latest.current = pressed;
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [isOn]);
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'));
