import type { Fact } from '../api-types.ts';
import { decodeName, encodeName } from './fact-names.ts';

/** The folder of all files. It always exists. */
export const ROOT = '/memories';
const SCHEME = 'file:';

/** Returns the absolute path that a command names. Throws for one outside `/memories`. */
export const checkedPath = (path: string): string => {
  if (!path.startsWith(ROOT)) throw new Error(`Path must start with ${ROOT}, got: ${path}`);
  const parts = [ROOT.slice(1)];
  for (const part of path.slice(ROOT.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) break;
  }
  if (parts[0] !== ROOT.slice(1)) throw new Error(`Path ${path} would escape ${ROOT} directory`);
  return `/${parts.join('/')}`;
};

export const entityOf = (path: string): string => `${SCHEME}${path.split('/').map(encodeName).join('/')}`;

export const pathOf = ({ entity }: Fact): string => entity.slice(SCHEME.length).split('/').map(decodeName).join('/');

/** Returns the folders that contain a path, outermost first, without `/memories`. */
export const foldersOf = (path: string): string[] => {
  const parts = path.split('/');
  return parts.slice(3).map((_, at) => parts.slice(0, at + 3).join('/'));
};

/** The size of a folder on common file systems, which a node does not have. */
export const FOLDER_SIZE = 4_096;
const UNITS = ['B', 'K', 'M', 'G'] as const;

export const spellSize = (bytes: number): string => {
  if (bytes === 0) return '0B';
  const unit = Math.floor(Math.log(bytes) / Math.log(1_024));
  const size = bytes / 1_024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[unit]}`;
};

const NUMBER_WIDTH = 6;

/** Returns lines with their numbers, the first of which is `from`. */
export const numbered = (lines: readonly string[], from: number): string =>
  lines.map((line, at) => `${String(from + at).padStart(NUMBER_WIDTH)}\t${line}`).join('\n');
