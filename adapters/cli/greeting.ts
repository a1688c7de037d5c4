import type { GreetingPart } from '../../kernel/internal-api.ts';
import type { NodeHandle } from './command-line-deps.ts';

/**
 * The time when the program was loaded. The start of the node counts from here, without the build that `npm start` may
 * run before.
 */
const LOADED_MS = performance.now();
const LABEL_WIDTH = 11;

/** Returns the message of a serving node: examples to try at a first start, one line later. */
export const greeting = (node: NodeHandle, url: string, parts: readonly GreetingPart[]): string => {
  const tookMs = Math.round(performance.now() - LOADED_MS);
  if (!parts.some(({ lines = [] }) => lines.length > 0)) {
    const { storeLocation, dataFolder } = node.settings;
    const notes = [
      `${ageOf(node)} store ${storeLocation} (folder ${dataFolder})`,
      ...(node.settings.authRequired ? [] : ['no key is needed']),
      ...parts.flatMap(({ note }) => note ?? []),
    ];
    return `Serving ${url}; ${notes.map((note) => `${note}; `).join('')}ready in ${tookMs} ms\n`;
  }
  const curlOptions = parts.flatMap((part) => part.curlOptions ?? []).join(' ');
  const examples = parts.flatMap((part) => part.examples?.(reachable(url), curlOptions) ?? []);
  const rest = labelled([
    ['Address', url],
    ['Ready', `in ${tookMs} ms; Ctrl-C stops the node`],
  ]);
  return `${firstLines(node, parts)}${rest}${examples.map(([title, command]) => `\n${title}:\n${command}\n`).join('')}`;
};

/** Returns the location and the age of the store, and the plugins' lines for a first start. */
export const firstLines = (node: NodeHandle, parts: readonly GreetingPart[]): string =>
  labelled([
    ['Store', `${node.settings.storeLocation} (${ageOf(node)})`],
    ['Folder', node.settings.dataFolder],
    ...parts.flatMap(({ lines = [] }) => lines),
  ]);

/** A start in another folder makes another store, and this word shows it. */
const ageOf = (node: NodeHandle): string => (node.hasNewStore() ? 'new' : 'existing');

const labelled = (lines: readonly (readonly [label: string, text: string])[]): string =>
  lines.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}\n`).join('');

/** Returns an address that clients can connect to, in place of a wildcard address. */
const reachable = (url: string): string => {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === '0.0.0.0' || hostname === '[::]' ? '127.0.0.1' : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
};
