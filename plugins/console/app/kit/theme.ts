import { keepPreference, readPreference } from './preferences.ts';

/** `system` follows the browser. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'theme';
const CHANGED = 'console-theme';

export const readTheme = (): Theme => THEMES.find((theme) => theme === readPreference(NAME)) ?? 'system';

/** Shows the page in the chosen colours. Style sheets read the attribute. */
export const applyTheme = (theme: Theme): void => {
  document.documentElement.dataset['theme'] = theme;
  document.dispatchEvent(new Event(CHANGED));
};

export const chooseTheme = (theme: Theme): void => {
  keepPreference(NAME, theme);
  applyTheme(theme);
};

/** Calls back whenever the colours of the page change, for pictures that are drawn. Returns a function that ends it. */
export const onThemeChange = (changed: () => void): (() => void) => {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', changed);
  document.addEventListener(CHANGED, changed);
  return () => {
    scheme.removeEventListener('change', changed);
    document.removeEventListener(CHANGED, changed);
  };
};
