import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSingleKeys } from './use-single-keys.ts';

/** Calls back for a single pressed key, unless the reader is typing, a dialog is open or single keys are off. */
export const useShortcuts = (pressed: (key: string) => boolean): void => {
  const [isOn] = useSingleKeys();
  // The listener stays and comes with the screen, because a later one would miss keys until the next frame.
  const latest = useRef({ isOn, pressed });
  latest.current = { isOn, pressed };
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!latest.current.isOn || event.defaultPrevented || isTyping(event.target)) return;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (latest.current.pressed(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'));
