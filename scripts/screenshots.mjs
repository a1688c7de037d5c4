// Takes screenshots of every screen of the console, light and dark, with made-up data: npm run screenshots [folder]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../dist/test/kit/browser.js';
import { settled } from '../dist/test/browser/console/console-browser.js';
import { fillForPictures, PICTURE_SETTINGS } from '../dist/test/browser/console/picture-memory.js';
import { startServedNode } from '../dist/test/kit/start-served-node.js';

const FOLDER = process.argv[2] ?? 'screenshots';
const SIZES = { desk: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };
const SCHEMES = ['light', 'dark'];
const SETTLE_MS = 600;

const take = async (served, browser, screens) => {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of SCHEMES) {
      const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
      await page.goto(`${served.url}/console/`);
      await page.getByLabel('Key', { exact: true }).waitFor();
      await page.screenshot({ path: join(FOLDER, `sign-in-${size}-${colorScheme}.png`) });
      await page.getByLabel('Key', { exact: true }).fill(served.adminKey);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.locator('nav a').first().waitFor({ state: 'attached' });
      for (const [name, address] of await addressesOf(page, screens)) {
        await page.goto(`${served.url}/console/${address}`);
        await page.locator('main h1').first().waitFor();
        await settled(page);
        // Waits until plots and graphs stop moving.
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
        console.log(`${name}, ${size}, ${colorScheme}`);
      }
      await page.close();
    }
  }
};

/** Returns the addresses of every screen in the navigation, and of the detail screens. */
const addressesOf = async (page, screens) => {
  const names = await page.evaluate(
    '[...document.querySelectorAll("nav a")].map(({ pathname }) => pathname.slice("/console/".length))',
  );
  return [...names.map((name) => [name, name]), ...Object.entries(screens)];
};

mkdirSync(FOLDER, { recursive: true });
const served = await startServedNode(PICTURE_SETTINGS);
const browser = await launchBrowser();
try {
  await take(served, browser, await fillForPictures(served));
} finally {
  await browser.close();
  await served.stop();
}
