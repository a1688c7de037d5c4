/** What the console takes from its browser: time and timers. One place, so that a test can own them. */
export const nowMs = (): number => Date.now();

/** Calls back after a time, unless the returned function was called before. */
export const later = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};

/**
 * A browser in a container may name a language that its own formats do not know, such as `en-US@posix`, at which
 * libraries fail. It then names English.
 */
export const nameKnownLanguage = (): void => {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
};

/** Languages of the reader, best first. */
export const wantedLanguages = (): readonly string[] => globalThis.navigator?.languages ?? [];

/** Whether the browser gives the page what it keeps from pages that came without encryption: digests, for one. */
export const isTrustedPage = (): boolean => isSecureContext;

/** Puts a text into the clipboard, also where the browser hides the clipboard from the page, or refuses it. */
export const copyText = async (text: string): Promise<void> => {
  try {
    // Pages that came without encryption have no clipboard, which throws as a refusal does.
    await navigator.clipboard.writeText(text);
  } catch {
    copySelected(text);
  }
};

const copySelected = (text: string): void => {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog, because nothing outside of it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
};

/** Fetches what the node tells everybody. Everything else is asked by the client. */
export const askOpenly = async <T>(path: `/console/${string}.json`): Promise<T> => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`the node returned ${response.status} for ${path}`);
  return (await response.json()) as T;
};

/** The network of the browser, as the client takes it. */
export const network: typeof fetch = (...request) => fetch(...request);
