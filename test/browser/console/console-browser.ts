import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type BrowserContext, type ContextOptions, type Page, readAxe } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { startPrefixProxy } from '../../kit/prefix-proxy.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';
import { borrowBrowser } from './borrowed-browser.ts';

/** A page of the console, with a list of all its errors. */
export interface ConsolePage {
  readonly page: Page;
  /** Policy violations, script errors and requests to other hosts so far. */
  readonly faults: readonly string[];
  /** Closes the page, and returns all its errors. */
  leave(): Promise<readonly string[]>;
  /** Opens a screen and waits until it is shown. */
  open(address: string): Promise<void>;
  /** Returns the serious and critical findings of axe-core on the current page. */
  seriousFindings(): Promise<readonly string[]>;
}

/** A node, a browser, and pages in it. */
export interface ConsoleBrowser {
  readonly served: ServedNode;
  /** Opens a new page, signed in with the key; without a key, at the sign-in. */
  visit(key?: string, options?: ContextOptions): Promise<ConsolePage>;
  /**
   * Opens a new page, signed in with the key, that shows no screen yet. Costs half of `visit` from the second time on,
   * because it takes over the session of an earlier page, as a duplicated tab does.
   */
  enter(key: string, options?: ContextOptions): Promise<ConsolePage>;
  /** Opens a new page on a node that requires no key. */
  comeIn(options?: ContextOptions): Promise<ConsolePage>;
  /** Closes every page, and returns all their errors. */
  leave(): Promise<readonly string[]>;
  /** Creates a key with these permissions. */
  keyFor(entityUri: string, permissions: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const KEEPS_VIOLATIONS =
  'window.violations = []; document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => ' +
  'window.violations.push(violatedDirective + " " + blockedURI));';

/** Starts a node and a browser; with `prefix`, behind a proxy that serves the node below this path. */
export const startConsoleBrowser = async (
  env: Readonly<Record<string, string>> = {},
  plugins: readonly AnyPlugin[] = [],
  prefix?: string,
): Promise<ConsoleBrowser> => {
  const node = await startServedNode(env, plugins);
  const proxy = prefix === undefined ? undefined : await startPrefixProxy(prefix, node.url);
  const served = { ...node, url: proxy?.url ?? node.url };
  const browser = await borrowBrowser();
  // Pages of equal options share a context, because its cache holds the compiled console.
  const contexts = new Map<string, Promise<BrowserContext>>();
  const contextOf = (options: ContextOptions): Promise<BrowserContext> => {
    const name = JSON.stringify(options);
    const context = contexts.get(name) ?? browser.newContext(options);
    contexts.set(name, context);
    return context;
  };
  const sessions = new Map<string, string>();
  let keys = 0;
  let pages: ConsolePage[] = [];
  return {
    served,
    async visit(key, options = {}) {
      const visited = await visit({ contextOf, served }, (page) => signIn(page, key), options);
      pages.push(visited);
      return visited;
    },
    async enter(key, options = {}) {
      const session = sessions.get(key);
      const start = session === undefined ? CONSOLE : OUTSIDE;
      const arrive = (page: Page): Promise<unknown> =>
        session === undefined ? signIn(page, key) : page.evaluate(restoring(session));
      const entered = await visit({ contextOf, served }, arrive, options, start);
      pages.push(entered);
      if (session === undefined) sessions.set(key, await entered.page.evaluate<string>(SESSION));
      return entered;
    },
    async comeIn(options = {}) {
      const visited = await visit({ contextOf, served }, isInside, options);
      pages.push(visited);
      return visited;
    },
    async leave() {
      const left = pages;
      pages = [];
      return (await Promise.all(left.map((each) => each.leave()))).flat();
    },
    async keyFor(entityUri, permissions) {
      keys += 1;
      const raw_key = `a-key-of-a-reader-of-the-console-${keys}`;
      const { status, body } = await served.ask('POST', '/v1/auth/keys', {
        raw_key,
        entity_uri: entityUri,
        permissions,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return raw_key;
    },
    async stop() {
      await proxy?.close();
      await node.stop();
    },
  };
};

/** A small page of the same origin, apart from the console. */
const OUTSIDE = '/healthz';
const CONSOLE = '/console/';

const SESSION = 'JSON.stringify(Object.entries(sessionStorage))';

/** Returns a script that puts what `SESSION` returned into the session of a page. */
const restoring = (session: string): string =>
  `for (const [name, value] of ${session}) sessionStorage.setItem(name, value);`;

const signIn = async (page: Page, key: string | undefined): Promise<void> => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  if (key === undefined) return;
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isInside(page);
};

/** Waits until the navigation is attached. On a phone it is hidden behind a button. */
const isInside = (page: Page): Promise<void> => page.locator('nav').waitFor({ state: 'attached' });

const visit = async (
  { contextOf, served }: { contextOf(options: ContextOptions): Promise<BrowserContext>; readonly served: ServedNode },
  arrive: (page: Page) => Promise<unknown>,
  options: ContextOptions,
  start = CONSOLE,
): Promise<ConsolePage> => {
  const page = await (await contextOf(options)).newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
  page.on('console', (message) => {
    // The console shows a refusal of the node to the reader, so it is no error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(served.url).origin && protocol !== 'data:') faults.push(`request to ${origin}`);
  });
  await page.addInitScript({ content: KEEPS_VIOLATIONS });
  const axe = readAxe();
  await page.goto(`${served.url}${start}`);
  await arrive(page);
  const gather = async (): Promise<void> => {
    faults.push(...(await page.evaluate<string[]>('window.violations.splice(0)')));
  };
  return {
    page,
    faults,
    async leave() {
      await gather();
      // The context outlives the page, and the next reader starts without preferences.
      await page.evaluate('localStorage.clear()');
      await page.close();
      return faults;
    },
    async open(address) {
      await gather();
      await page.goto(`${served.url}/console/${address}`);
      await page.locator('main h1').first().waitFor();
      await settled(page);
      await gather();
    },
    async seriousFindings() {
      await gather();
      // The program is large, and stays until the page loads another document.
      if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe);
      const found = await page.evaluate<{ violations: AxeFinding[] }>(
        'axe.run(document, { resultTypes: ["violations"] })',
      );
      return found.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    },
  };
};

interface AxeFinding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const BUSY = '.loading, [aria-busy=true]';

/** A script that resolves when the page has been idle for a turn of its event loop. */
const IDLE = `new Promise((resolve) => {
  const isBusy = () => document.querySelector('${BUSY}') !== null;
  const confirm = () => setTimeout(() => (isBusy() ? watch() : resolve()));
  const watch = () => {
    if (!isBusy()) return confirm();
    const observer = new MutationObserver(() => {
      if (isBusy()) return;
      observer.disconnect();
      confirm();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  };
  watch();
})`;

/** Waits until the page fetches nothing any more. Watches from within the page, because each look costs a message. */
export const settled = async (page: Page): Promise<void> => {
  await comesTrue(() =>
    page.evaluate(IDLE).then(
      () => true,
      (error: Error) => {
        // Another document has replaced the one that the script watched.
        if (/context was destroyed|navigation/i.test(error.message)) return false;
        throw error;
      },
    ),
  );
};
