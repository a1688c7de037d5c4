import { useLayoutEffect, useState } from 'preact/hooks';
import { keepPreference, readPreference } from './preferences.ts';

/** The choice, which every part of the page shares. */
const choice = { isOn: readPreference('keys') !== 'off', changed: new EventTarget() };

const choose = (isOn: boolean): void => {
  keepPreference('keys', isOn ? 'on' : 'off');
  choice.isOn = isOn;
  choice.changed.dispatchEvent(new Event('change'));
};

/** Returns whether keys without Ctrl work anywhere in the console, and a function that switches them. */
export const useSingleKeys = (): readonly [isOn: boolean, choose: (isOn: boolean) => void] => {
  const [isOn, show] = useState(choice.isOn);
  useLayoutEffect(() => {
    const look = (): void => show(choice.isOn);
    look();
    choice.changed.addEventListener('change', look);
    return () => choice.changed.removeEventListener('change', look);
  }, []);
  return [isOn, choose];
};
