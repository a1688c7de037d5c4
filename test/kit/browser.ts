import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../architecture/source-files.ts';

/** The folder of the browser packages, which are installed separately from other development dependencies. */
const FOLDER = join(projectRoot(), 'test/browser');

export const isBrowserInstalled = (): boolean => existsSync(join(FOLDER, 'node_modules'));

/** The used parts of the browser packages, declared here because their own types are not installed at compile time. */
export interface Locator {
  /** Waits until the element can be clicked. With `trial`, does nothing else. */
  click(options?: { readonly trial: boolean }): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  nth(at: number): Locator;
  textContent(): Promise<string | null>;
  getAttribute(name: string): Promise<string | null>;
  inputValue(): Promise<string>;
  isVisible(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  allTextContents(): Promise<string[]>;
  selectOption(value: string | { readonly label: string }): Promise<unknown>;
  check(): Promise<void>;
  setInputFiles(file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }): Promise<void>;
  waitFor(options?: { state?: 'attached' | 'detached' | 'visible' | 'hidden'; timeout?: number }): Promise<void>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  goBack(): Promise<unknown>;
  url(): string;
  evaluate<T = unknown>(script: string): Promise<T>;
  addInitScript(script: { content: string }): Promise<void>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  waitForURL(url: string | RegExp): Promise<unknown>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  on(event: string, listener: (message: { text(): string; type(): string; message: string }) => void): void;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
  close(): Promise<void>;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly permissions?: readonly string[];
  readonly locale?: string;
  /** False for a browser that runs no script. */
  readonly javaScriptEnabled?: boolean;
}

export interface Browser {
  newPage(): Promise<Page>;
  newContext(options?: ContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[]; headless: boolean }): Promise<Browser>;
  };
}

interface Chromium {
  readonly default: { readonly args: string[]; executablePath(): Promise<string> };
}

export const launchBrowser = async (): Promise<Browser> => {
  const require = createRequire(join(FOLDER, 'package.json'));
  const { chromium } = require('playwright-core') as Playwright;
  const packed = (await import(pathToFileURL(require.resolve('@sparticuz/chromium')).href)) as Chromium;
  const executablePath = await packed.default.executablePath();
  const args = packed.default.args.filter((arg) => !UNWANTED.test(arg));
  return chromium.launch({ executablePath, args: [...args, ...WANTED], headless: true });
};

/**
 * Arguments of the package for screenshots: without web security, which these tests need, and with a graphics processor
 * in software, which takes a fifth of the processor time.
 */
const UNWANTED = /web-security|gpu|gl=|angle|swiftshader/;
const WANTED = ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer'];

/** Returns the program that checks the accessibility of a page. */
export const readAxe = (): string =>
  readFileSync(createRequire(join(FOLDER, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');
