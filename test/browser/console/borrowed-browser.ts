import { type Browser, launchBrowser } from '../../kit/browser.ts';

let launched: Promise<Browser> | undefined;

/**
 * Returns the browser that all tests of this process share, because a new one takes as long as a test until it is warm.
 * A borrower closes pages only: in a browser of one process, the end of a context ends the browser.
 */
export const borrowBrowser = (): Promise<Browser> => {
  launched ??= launchBrowser();
  return launched;
};

/** A script outside of mocha has no such hook, and starts its own browser. */
if ('after' in globalThis) {
  after(async () => {
    await (await launched)?.close();
  });
}
