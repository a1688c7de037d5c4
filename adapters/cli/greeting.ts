import type { GreetingPart } from '../../kernel/internal-api.ts';
import type { NodeHandle } from './command-line-deps.ts';

/** When the program was loaded: a build that `npm start` made before is not the start of the node. */
const LOADED_MS = performance.now();
const LABEL_WIDTH = 11;

/** Returns the message of a node that serves. A first start shows something to try, a later one a line. */
export const greeting = (node: NodeHandle, url: string, parts: readonly GreetingPart[]): string => {
  const tookMs = Math.round(performance.now() - LOADED_MS);
  if (!parts.some(({ lines = [] }) => lines.length > 0)) {
    const notes = [
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

/** The place of the store, and lines of plugins about a first start. */
export const firstLines = (node: NodeHandle, parts: readonly GreetingPart[]): string =>
  labelled([['Store', node.settings.storeLocation], ...parts.flatMap(({ lines = [] }) => lines)]);

const labelled = (lines: readonly (readonly [label: string, text: string])[]): string =>
  lines.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}\n`).join('');

/** An address to connect to: a wildcard is where a node listens, not where it is. */
const reachable = (url: string): string => {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === '0.0.0.0' || hostname === '[::]' ? '127.0.0.1' : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
};
