/** Time and timers of the browser, in one place, so that a test can replace them. */
export const nowMs = (): number => Date.now();

/** Calls back after a time, unless the returned function is called before. */
export const later = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};

/**
 * A browser in a container may report a language that its own formats do not support, such as `en-US@posix`, and then
 * libraries fail. This makes it report English.
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

/** True if the page may use functions that browsers reserve for secure pages, such as digests. */
export const isTrustedPage = (): boolean => isSecureContext;

/** Copies a text to the clipboard, even if the browser denies its clipboard to the page. */
export const copyText = async (text: string): Promise<void> => {
  try {
    // Pages without encryption have no clipboard; the access throws as a refusal does.
    await navigator.clipboard.writeText(text);
  } catch {
    copySelected(text);
  }
};

const copySelected = (text: string): void => {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // Inside an open dialog, because the dialog blocks selections elsewhere.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
};

/** Returns the path of the console. A proxy may serve it below a path, and the scripts are always in `files/`. */
export const consolePath = (): string => new URL('../', import.meta.url).pathname;

/** Returns the address of the node, without a slash at its end. */
export const nodeUrl = (): string => new URL('../..', import.meta.url).href.replace(/\/$/, '');

/** Fetches public data of the node. The client requests everything else. */
export const askOpenly = async <T>(path: `/console/${string}.json`): Promise<T> => {
  const response = await fetch(nodeUrl() + path);
  if (!response.ok) throw new Error(`the node returned ${response.status} for ${path}`);
  return (await response.json()) as T;
};

/** The `fetch` of the browser, in the form that the client takes. */
export const network: typeof fetch = (...request) => fetch(...request);
