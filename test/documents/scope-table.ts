import { pageText } from './read-pages.ts';

const PAGE = 'docs/concepts/scopes-and-rights.md';
const ROW = /^\| ([^|]+) \| `(\w+)` \| ([^|]+) \|$/gm;

/** The defaults of one way into the node, as the page of scopes lists them. */
export interface ScopeDefaults {
  readonly writesTo: string;
  readonly recallsFrom: string;
}

/** Returns the table of default scopes, by the name of each way in. */
export const scopeTable = (): ReadonlyMap<string, ScopeDefaults> => {
  const [, section = ''] = pageText(PAGE).split('### Scopes by default\n');
  const [table = ''] = section.split('\n## ');
  return new Map(
    [...table.matchAll(ROW)].map(([, name = '', writesTo = '', recallsFrom = '']) => [name, { writesTo, recallsFrom }]),
  );
};
