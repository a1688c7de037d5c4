import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type Browser, type ContextOptions, launchBrowser, type Page, readAxe } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { startPrefixProxy } from '../../kit/prefix-proxy.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

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
  const browser = await launchBrowser();
  let keys = 0;
  let pages: ConsolePage[] = [];
  return {
    served,
    async visit(key, options = {}) {
      const visited = await visit({ browser, served }, (page) => signIn(page, key), options);
      pages.push(visited);
      return visited;
    },
    async comeIn(options = {}) {
      const visited = await visit({ browser, served }, isInside, options);
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
      await browser.close();
      await proxy?.close();
      await node.stop();
    },
  };
};

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
  { browser, served }: { readonly browser: Browser; readonly served: ServedNode },
  arrive: (page: Page) => Promise<void>,
  options: ContextOptions,
): Promise<ConsolePage> => {
  const page = await (await browser.newContext(options)).newPage();
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
  await page.goto(`${served.url}/console/`);
  await arrive(page);
  const gather = async (): Promise<void> => {
    faults.push(...(await page.evaluate<string[]>('window.violations.splice(0)')));
  };
  return {
    page,
    faults,
    async leave() {
      await gather();
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
      await page.evaluate(axe);
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

/**
 * Waits until the page fetches nothing any more. It observes the page from outside, because its policy forbids
 * evaluated code.
 */
export const settled = async (page: Page): Promise<void> => {
  const isBusy = 'document.querySelector(".loading, [aria-busy=true]") !== null';
  await comesTrue(async () => !(await page.evaluate<boolean>(isBusy)));
};
