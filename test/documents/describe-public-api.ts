import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';

/** An exported name: its declaration without comments, and the declaring file. */
interface Exported {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

type Exports = ReadonlyMap<string, Exported>;
type Target = string | { readonly types: string };

/**
 * Lists every exported name by entry point, from the compiled declarations. A name in several entries is listed under
 * the first.
 */
export const describePublicApi = (): string[] => {
  const homes = new Map<string, string>();
  return entriesOf().flatMap(({ entry, names }) => describeEntry(entry, names, homes));
};

/** Returns the entry points of the package, each with the names that it exports. */
export const entriesOf = (): { readonly entry: string; readonly names: Exports }[] => {
  const { name, exports } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, Target>>;
  };
  return Object.entries(exports)
    .flatMap(expandPattern)
    .map(([path, types]) => ({ entry: `${name}${path.slice(1)}`, names: exportsOf(join(projectRoot(), types)) }));
};

/** Expands a pattern into one entry for each plugin that has such a file. */
const expandPattern = ([path, target]: [string, Target]): [path: string, types: string][] => {
  if (typeof target === 'string') return [];
  const { types } = target;
  if (!path.includes('*')) return [[path, types]];
  return readdirSync(join(projectRoot(), 'plugins'))
    .map((plugin): [string, string] => [path.replaceAll('*', plugin), types.replaceAll('*', plugin)])
    .filter(([, file]) => existsSync(join(projectRoot(), file)));
};

const describeEntry = (entry: string, exported: Exports, homes: Map<string, string>): string[] => {
  const sorted = [...exported.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const isNew = ({ file, name }: Exported): boolean => !homes.has(`${file}#${name}`);
  const own = sorted.filter(isNew);
  const others = new Map<string, number>();
  for (const { file, name } of sorted) {
    const home = homes.get(`${file}#${name}`);
    if (home === undefined) homes.set(`${file}#${name}`, entry);
    else others.set(home, (others.get(home) ?? 0) + 1);
  }
  return [
    '',
    `## ${entry}`,
    ...[...others].flatMap(([home, count]) => ['', `And ${count} names of \`${home}\`.`]),
    ...(own.length === 0 ? [] : ['', '```typescript', ...own.map(({ text }) => text), '```']),
  ];
};

/** The exported names of a file of declarations, wherever they are declared. */
export const exportsOf = (file: string): Exports => {
  const found = new Map<string, Exported>();
  for (const statement of statementsOf(file)) {
    const [, specifier = ''] = /from '([^']+)';?$/.exec(statement) ?? [];
    if (statement.startsWith('export * from')) {
      for (const [name, exported] of exportsOf(declarationFile(file, specifier))) found.set(name, exported);
    } else if (/^export (type )?\{/.test(statement) && specifier !== '') {
      for (const { name, as } of namesIn(statement)) found.set(as, exportedFrom(file, specifier, { name, as }));
    } else {
      const [, name] = DECLARED.exec(statement) ?? [];
      if (name === undefined) continue;
      const text = statement.replace(/^export (declare )?/, '');
      // An interface and a constant may share one name.
      const known = found.get(name);
      const both = known === undefined ? text : `${known.text}\n${text}`;
      found.set(name, { name, file: relative(projectRoot(), file), text: both });
    }
  }
  return found;
};

const DECLARED = /^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type|let) ([\w$]+)/;

const exportedFrom = (
  file: string,
  specifier: string,
  { name, as }: { readonly name: string; readonly as: string },
): Exported => {
  if (!specifier.startsWith('.')) return { name: as, file: specifier, text: `${as}: of the package ${specifier}` };
  const found = exportsOf(declarationFile(file, specifier)).get(name);
  if (found === undefined) throw new Error(`${file} exports ${name}, which ${specifier} does not have`);
  return { ...found, name: as };
};

const namesIn = (statement: string): { readonly name: string; readonly as: string }[] => {
  const [, list = ''] = /\{([^}]*)\}/.exec(statement) ?? [];
  return list
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', as = name] = part.split(' as ');
      return { name, as };
    });
};

const declarationFile = (from: string, specifier: string): string =>
  join(dirname(from), specifier).replace(/\.(ts|js)$/, '.d.ts');

const BEGINS = /^(export|declare|import|interface|type|const|class|function|abstract)\b/;

/** Splits a file into top-level statements without comments; the compiler starts each in the first column. */
const statementsOf = (file: string): string[] => {
  const statements: string[] = [];
  for (const line of readFileSync(file, 'utf8')
    .replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .split('\n')) {
    if (line.startsWith('//') || line.trim() === '') continue;
    if (BEGINS.test(line)) statements.push(line);
    else if (statements.length > 0) statements.push(`${statements.pop()}\n${line}`);
  }
  // An inferred type contains its file name, but readers need only the type name.
  return statements.map((statement) => statement.trimEnd().replaceAll(/import\("[^"]+"\)\./g, ''));
};
