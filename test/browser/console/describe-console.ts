import { expect } from 'chai';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { count } from '../../crash/crash-counts.ts';
import { type ContextOptions, isBrowserInstalled } from '../../kit/browser.ts';
import { type ConsoleBrowser, type ConsolePage, settled, startConsoleBrowser } from './console-browser.ts';

/** The sizes and colours in which each screen must be whole. The usual run takes each size and each colour once. */
const ALL_LOOKS: readonly (Required<Pick<ContextOptions, 'viewport' | 'colorScheme'>> & ContextOptions)[] = [
  { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
];
export const LOOKS = ALL_LOOKS.slice(0, count('SVC_TEST_LOOKS', 2, ALL_LOOKS.length));

interface Setup {
  readonly env?: Readonly<Record<string, string>>;
  readonly plugins?: readonly AnyPlugin[];
  readonly timeoutMs?: number;
  /** Stores what the tests need. */
  readonly fill?: (console: ConsoleBrowser) => Promise<unknown>;
}

/**
 * Tests the console of one node in a real browser, where that is installed. After each test its pages are closed, and
 * none of them may have had an error. `running` returns the node and its browser during a test.
 */
export const describeConsole = (
  title: string,
  { env = {}, plugins = [], timeoutMs = 180_000, fill }: Setup,
  tests: (running: () => ConsoleBrowser) => void,
): void => {
  if (!isBrowserInstalled()) return;
  describe(title, function () {
    this.timeout(timeoutMs);
    let console: ConsoleBrowser | undefined;
    const running = (): ConsoleBrowser => {
      if (console === undefined) throw new Error('the console is there during a test alone');
      return console;
    };
    before(async () => {
      console = await startConsoleBrowser(env, plugins);
      await fill?.(console);
    });
    afterEach(async () => {
      expect(await running().leave()).to.deep.equal([]);
    });
    after(() => console?.stop());
    tests(running);
  });
};

/** Returns whether the idle page is wider than its window. */
export const isWiderThanWindow = async ({ page }: ConsolePage): Promise<boolean> => {
  await settled(page);
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1');
};

/** Expects that the page is no wider than its window and has no serious accessibility finding. */
export const expectWhole = async (visited: ConsolePage, name: string): Promise<void> => {
  expect(await isWiderThanWindow(visited), `${name} is too wide`).to.equal(false);
  expect(await visited.seriousFindings(), name).to.deep.equal([]);
};

/** Opens an address in each size and colour, and expects it to be whole; then what `more` opens there. */
export const expectWholeInEachLook = async (
  console: ConsoleBrowser,
  address: string,
  more?: (visited: ConsolePage) => Promise<void>,
): Promise<void> => {
  for (const look of LOOKS) {
    const visited = await console.enter(console.served.adminKey, look);
    const name = `${address}, ${look.viewport.width} ${look.colorScheme}`;
    await visited.open(address);
    await expectWhole(visited, name);
    if (more === undefined) continue;
    await more(visited);
    await expectWhole(visited, `${name}, opened`);
  }
};
