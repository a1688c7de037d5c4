import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';

const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage']);

/** A fenced code block of a page. */
export interface Block {
  readonly language: string;
  readonly code: string;
}

/** Returns the paths of all Markdown files of the repository, or of one folder. */
export const listPages = (folder = ''): string[] =>
  readdirSync(join(projectRoot(), folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || NOT_OURS.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listPages(path) : path.endsWith('.md') ? [path] : [];
  });

export const pageText = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

/** Returns the fenced blocks of a page, in order. */
export const blocksOf = (path: string): Block[] =>
  [...pageText(path).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));

/** Converts a heading into a link anchor. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Returns the link anchors of a page: one per heading, in the spelling of code hosts. */
export const anchorsOf = (path: string): Set<string> => {
  const anchors = new Set<string>();
  const prose = pageText(path).replaceAll(/^```.*?^```$/gms, '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading);
    let free = anchor;
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`;
    anchors.add(free);
  }
  return anchors;
};
