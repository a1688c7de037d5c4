import { relative, resolve } from 'node:path';
import type { NodeHandle } from './command-line-deps.ts';
import type { FirstKey } from './first-key.ts';
import { firstRequests } from './first-requests.ts';

/** When the program was loaded: a build that `npm start` made before is not the start of the node. */
const LOADED_MS = performance.now();

/** What a node says when it serves. A first start gets two requests to try, a later one a line. */
export const greeting = (node: NodeHandle, url: string, key: FirstKey | null): string => {
  const tookMs = Math.round(performance.now() - LOADED_MS);
  if (key?.registered == null) return `Serving ${url}; ${keyNote(node, key)}ready in ${tookMs} ms\n`;
  const requests = firstRequests(url, resolve(key.file));
  return [
    `Store      ${node.storeLocation}`,
    `${keyLine(key)}Address    ${url}`,
    `Ready      in ${tookMs} ms; Ctrl-C stops the node`,
    '',
    'Assert a fact:',
    requests.assert,
    '',
    'Find it:',
    requests.query,
    '',
  ].join('\n');
};

/** Says where a first key that was just registered lies; empty for any other. */
export const keyLine = (key: FirstKey | null): string => {
  if (key?.registered == null) return '';
  const end = key.registered.expiresAt === null ? 'never expires' : `expires ${key.registered.expiresAt}`;
  return `Admin key  ${shortPath(key.file)} (only you may read it; ${end})\n`;
};

/** A key that opens nothing any more is not offered. */
const keyNote = ({ authRequired }: NodeHandle, key: FirstKey | null): string => {
  if (!authRequired) return 'no key is needed; ';
  if (key === null) return '';
  if (key.isGood) return `the first key is in ${shortPath(key.file)}; `;
  return key.anyIsActive ? '' : 'no key is active, "fact-memory-node key add" generates one; ';
};

const shortPath = (path: string): string => {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
};
