import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { later } from './platform.ts';
import { keepPreference, readPreference } from './preferences.ts';
import { useTexts } from './use-texts.ts';
import { watchChanges } from './watch-changes.ts';

interface Live {
  /** Asks the node for a mark of its present state. */
  readonly probe: (signal: AbortSignal) => Promise<string>;
  /** The mark of what the screen shows; undefined while it loads, or shows a search or the past. */
  readonly shown: string | undefined;
  readonly onChange: () => void;
}

/** Reloads a screen when the node has something new. Returns the switch that pauses this. */
export const useLive = (live: Live): ComponentChildren => {
  const { live: texts } = useTexts();
  const [isOn, setOn] = useState(readPreference('live') !== 'off');
  const latest = useRef(live);
  latest.current = live;
  useLayoutEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    const watch = watchChanges({
      probe: () => latest.current.probe(controller.signal),
      // A reload could take the form away that the reader fills in.
      shown: () => (document.querySelector('dialog[open]') === null ? latest.current.shown : undefined),
      onChange: () => latest.current.onChange(),
      isVisible: () => document.visibilityState === 'visible',
      nowMs: () => performance.now(),
      later,
    });
    document.addEventListener('visibilitychange', watch.look);
    return () => {
      document.removeEventListener('visibilitychange', watch.look);
      watch.stop();
      controller.abort();
    };
  }, [isOn]);
  const turn = (): void => {
    keepPreference('live', isOn ? 'off' : 'on');
    setOn(!isOn);
    if (!isOn) live.onChange();
  };
  return (
    <button type="button" class="quiet" aria-pressed={isOn} title={texts.means} onClick={turn}>
      <span aria-hidden="true">{isOn ? '●' : '○'}</span> {texts.name}
    </button>
  );
};
