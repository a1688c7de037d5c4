/** The place of choices that the browser keeps. Without storage, a choice lasts until the page is left. */
const PREFIX = 'console.choice.';

export const readPreference = (name: string): string | undefined => {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
};

export const keepPreference = (name: string, value: string): void => {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice lasts until the page is left.
  }
};
