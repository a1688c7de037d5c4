import { expect } from 'chai';
import type { Locator, Page } from '../../kit/browser.ts';
import { settled } from './console-browser.ts';

/** A page, or a part of one such as a dialog. */
type Place = Pick<Page, 'getByRole' | 'getByLabel' | 'getByText' | 'locator'>;

export const button = (place: Place, name: string): Locator => place.getByRole('button', { name, exact: true });

export const press = (place: Place, name: string): Promise<void> => button(place, name).click();

/** Types texts into fields, by their labels. */
export const fillIn = async (place: Place, texts: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, text] of Object.entries(texts)) await place.getByLabel(label, { exact: true }).fill(text);
};

export const choose = async (place: Place, label: string, option: string): Promise<void> => {
  await place.getByLabel(label, { exact: true }).selectOption({ label: option });
};

/** Returns the open dialog with this title. */
export const dialog = async (page: Page, title: string): Promise<Locator> => {
  const found = page.getByRole('dialog', { name: title, exact: true });
  await found.waitFor();
  return found;
};

/** Presses the button that opens a dialog of the same title, fills the dialog in, and sends it. */
export const sendForm = async (
  page: Page,
  { opener, title = opener, texts = {}, submit = opener }: Form,
): Promise<void> => {
  await press(page, opener);
  const form = await dialog(page, title);
  await fillIn(form, texts);
  await press(form, submit);
};

interface Form {
  /** The name of the button that opens the dialog. */
  readonly opener: string;
  readonly title?: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly submit?: string;
}

/** Waits until the page shows the message. */
export const isTold = async (page: Page, text: string): Promise<void> => {
  await page.locator('main .notice').getByText(text).waitFor();
  await settled(page);
};

/**
 * Returns the secret that a dialog shows once, closes the dialog, and checks that the page no longer contains the
 * secret.
 */
export const takeSecret = async (page: Page, title: string): Promise<string> => {
  const shown = await dialog(page, title);
  const secret = (await shown.locator('.secret').textContent()) ?? '';
  expect(secret).to.match(/\S{20}/);
  await press(shown, 'I have kept it');
  await shown.waitFor({ state: 'detached' });
  const kept = 'document.documentElement.outerHTML + JSON.stringify(sessionStorage) + location.href';
  expect(await page.evaluate<string>(kept)).to.not.contain(secret);
  return secret;
};

/** Returns the names of all buttons on the screen. */
export const offered = async (page: Page): Promise<readonly string[]> => {
  await settled(page);
  return (await page.locator('main button').allTextContents()).map((text) => text.trim());
};

/** Counts the clicks on the page from now on. Returns a function that returns their number. */
export const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate('window.clicks = 0; document.addEventListener("pointerdown", () => window.clicks++, true); 0');
  return () => page.evaluate<number>('window.clicks');
};
