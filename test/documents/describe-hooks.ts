import type { SourceFile } from '../architecture/source-files.ts';
import { tableHead, tableRow } from './markdown-table.ts';

const HOOK =
  /\/\*\*((?:(?!\*\/).)*)\*\/\s*export const (\w+) = define(Filter|Collect|Event)Hook(?:<.*?>)?\(\s*'([^']+)',?\s*\)/gs;

/** Lists all hooks with their comments: those of the kernel, then those of plugins. */
export const describeHooks = (files: readonly SourceFile[]): string[] => {
  const found = files
    .filter(({ path }) => /^(kernel|plugins)\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(HOOK)].map(([, comment = '', name = '', kind = '', id = '']) => ({
        owner: /^plugins\/([^/]+)\//.exec(path)?.[1] ?? 'kernel',
        row: tableRow(`\`${id}\``, kind.toLowerCase(), `\`${name}\``, proseOf(comment)),
        id,
      })),
    );
  const owners = [
    'kernel',
    ...[...new Set(found.map(({ owner }) => owner))].filter((owner) => owner !== 'kernel').sort(),
  ];
  return owners.flatMap((owner) => [
    owner === 'kernel' ? '## Of the kernel' : `## Of ${owner}`,
    '',
    ...tableHead('hook', 'kind', 'import', 'when, and what a handler may do'),
    ...found.filter((hook) => hook.owner === owner).map(({ row }) => row),
    '',
  ]);
};

/** Returns the sentences of a comment, without its asterisks. */
const proseOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .filter(Boolean)
    .join(' ');

/** Returns hooks that lack a comment, or whose definition the table cannot parse. */
export const undescribedHooks = (files: readonly SourceFile[]): string[] => {
  return files
    .filter(({ path }) => /^(kernel|plugins)\//.test(path) && !path.endsWith('/define-hook.ts'))
    .flatMap(({ path, text }) => {
      const described = [...text.matchAll(HOOK)].length;
      const defined = [...text.matchAll(/= define(Filter|Collect|Event)Hook\b/g)].length;
      return described === defined ? [] : [path];
    });
};
