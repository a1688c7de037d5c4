import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect } from 'chai';
import * as internals from '../../kernel/internal-api.ts';
import { entriesOf, exportsOf } from '../documents/describe-public-api.ts';
import { blocksOf } from '../documents/read-pages.ts';
import { importsOf, projectRoot, readSources, type SourceFile } from './source-files.ts';

const PLUGIN_DOOR = 'kernel/plugin-api.ts';
const COMMAND_DOOR = 'kernel/command-api.ts';
const INTERNAL_DOOR = 'kernel/internal-api.ts';
const ENTRIES: Readonly<Record<string, string>> = {
  'fact-memory-node/plugin': PLUGIN_DOOR,
  'fact-memory-node/commands': COMMAND_DOOR,
};
const MOST_NAMES = 200;

/** Example plugins that replace a part of the node, with the service that each provides. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  'test/examples/newest-recall.ts': 'Recall',
  'test/examples/tiny-search.ts': 'SearchIndex',
  'test/examples/class-style-billing.ts': 'BillingSink',
  'examples/billing/acme-invoices.mjs': 'BillingSink',
  'examples/embedder/acme-embedder.mjs': 'Embedder',
};

/** Declarations of refs, hooks and vocabularies, which may stay public without a user in this repository. */
const INTERFACE = /^const \w+: (Ref|CollectHook|FilterHook|EventHook|WordKind)</m;

/** Modules that a third-party plugin may import. */
const PUBLIC = /^(node:.+|fact-memory-node\/(plugin|commands|ports|class-plugin|[a-z-]+-api))$/;

const textOf = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

/** Returns the names in `{ ... }` lists of import or export statements whose module `isMeant` accepts. */
const listedNames = (text: string, keyword: string, isMeant: (specifier: string) => boolean): string[] =>
  [...text.matchAll(new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\} from '([^']+)'`, 'gm'))]
    .filter(([, , specifier = '']) => isMeant(specifier))
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().replace(/^type /, ''))
    .filter(Boolean);

const namesOf = (door: string): string[] => listedNames(textOf(door), 'export', () => true);

/** Returns the pages and programs that show plugin authors how to use the public modules. */
const shownTexts = (): SourceFile[] => {
  const guides = readdirSync(join(projectRoot(), 'docs/guides')).map((name) => `docs/guides/${name}`);
  const examples = readdirSync(join(projectRoot(), 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs') && !name.includes('node_modules'))
    .map((name) => posix.join('examples', name.replaceAll('\\', '/')));
  return [...guides, ...examples].map((path) => ({ path, text: textOf(path) }));
};

/** Returns all names in the code and between the backticks of a guide. */
const wordsOf = (text: string): string[] => text.match(/\b[A-Za-z_]\w+\b/g) ?? [];

const declarationsOf = (path: string): string => join(projectRoot(), 'dist', path.replace(/ts$/, 'd.ts'));

/** Returns the text after the last arrow of a function's declaration; nothing for everything else. */
const returnOf = (text: string): string => (/^const \w+: [<(]/m.test(text) ? (text.split('=>').at(-1) ?? '') : '');

const typesIn = (text: string): string[] => text.match(/\b[A-Z]\w*[a-z]\w*\b/g) ?? [];

const returnedTypes = (door: string): ReadonlySet<string> =>
  new Set([...exportsOf(declarationsOf(door)).values()].flatMap(({ text }) => typesIn(returnOf(text))));

/** Returns the interfaces, classes and types of the package. A compiler spells out those that nobody can import. */
const declaredTypes = (): ReadonlySet<string> =>
  new Set(
    readdirSync(join(projectRoot(), 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.d.ts'))
      .flatMap((path) => [...textOf(`dist/${path}`).matchAll(/^(?:export )?(?:declare )?(?:interface|class) (\w+)/gm)])
      .flatMap(([, name = '']) => name),
  );

const importedNames = ({ path, text }: SourceFile, door: string): string[] =>
  listedNames(text, '(?:import|export)', (specifier) =>
    specifier.startsWith('.')
      ? posix.normalize(posix.join(posix.dirname(path), specifier)) === door
      : (ENTRIES[specifier] ?? specifier.replace(/^fact-memory-node\/(.+)-api$/, 'plugins/$1/$1-api.ts')) === door,
  );

const foreignImports = ({ path, text }: SourceFile): string[] =>
  importsOf(text)
    .filter(({ specifier }) => !specifier.startsWith('./') && !PUBLIC.test(specifier))
    .map(({ specifier }) => `${path} imports ${specifier}`);

describe('the public modules of the kernel', () => {
  let files: SourceFile[];
  const shown = shownTexts();
  before(async () => {
    files = await readSources();
  });

  it(`offer plugin authors at most ${MOST_NAMES} names`, () => {
    const names = namesOf(PLUGIN_DOOR);
    expect(names.length).to.be.within(100, MOST_NAMES);
  });

  it('export every type that a function returns, which the declarations of a plugin must name', () => {
    const exported = entriesOf().flatMap(({ names }) => [...names.values()]);
    const known = new Set(exported.map(({ name }) => name));
    const declared = declaredTypes();
    const unnamed = exported.flatMap(({ name, text }) =>
      typesIn(returnOf(text)).flatMap((type) => (declared.has(type) && !known.has(type) ? `${name}: ${type}` : [])),
    );
    expect(unnamed).to.deep.equal([]);
  });

  it('export each name once, and list it', () => {
    const names = [PLUGIN_DOOR, COMMAND_DOOR, INTERNAL_DOOR].flatMap(namesOf);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).to.deep.equal([]);
    for (const door of [PLUGIN_DOOR, COMMAND_DOOR, INTERNAL_DOOR]) expect(textOf(door)).not.to.match(/^export \*/m);
  });

  for (const door of [PLUGIN_DOOR, COMMAND_DOOR]) {
    it(`export from ${door} only names that a plugin, an example or a guide uses`, () => {
      const users = files.filter(({ path }) => /^(plugins|test\/examples|adapters\/class-plugins)\//.test(path));
      const used = new Set(users.flatMap((file) => importedNames(file, door)));
      for (const { text } of shown) for (const word of wordsOf(text)) used.add(word);
      for (const type of returnedTypes(door)) used.add(type);
      expect(namesOf(door).filter((name) => !used.has(name))).to.deep.equal([]);
    });
  }

  it('export from the internal module only names that a plugin or an adapter uses', () => {
    const users = files.filter(({ path }) => /^(plugins|adapters)\//.test(path));
    const used = new Set(users.flatMap((file) => importedNames(file, INTERNAL_DOOR)));
    expect(namesOf(INTERNAL_DOOR).filter((name) => !used.has(name))).to.deep.equal([]);
  });

  it('export no service and no hook from the internal module, which is no package entry', () => {
    const tokens = Object.entries(internals).filter(
      ([, value]) => typeof value === 'object' && Object.keys(value).every((key) => key === 'id' || key === 'kind'),
    );
    expect(tokens.map(([name]) => name)).to.deep.equal([]);
    expect(textOf('package.json')).not.to.include('internal-api');
  });

  it('are enough to build a recall, a search index, a billing sink and an embedder', () => {
    for (const [path, ref] of Object.entries(REPLACEMENTS)) {
      const text = textOf(path);
      expect(text, path).to.match(new RegExp(`provides: \\[(\\w+, )*${ref}\\b`));
      expect(foreignImports({ path, text })).to.deep.equal([]);
    }
  });

  it('are the only package modules that example plugins and guides import', () => {
    const plugins = files.filter(({ path }) => /^test\/examples\//.test(path) && !path.endsWith('.test.ts'));
    const blocks = shown.flatMap(({ path, text }) =>
      path.endsWith('.mjs') ? [{ path, text }] : blocksOf(path).map(({ code }) => ({ path, text: code })),
    );
    // A program that embeds a node may also define a plugin.
    const ofPlugins = [...plugins, ...blocks].filter(
      ({ text }) => /define(Class)?Plugin\b/.test(text) && !text.includes('createNode'),
    );
    expect(ofPlugins.length).to.be.above(8);
    expect(ofPlugins.flatMap(foreignImports)).to.deep.equal([]);
  });
});

describe('the interfaces of plugins', () => {
  it('hold refs, hooks, vocabularies, names that others use, and types in the signatures of all these', async () => {
    const files = await readSources();
    const shown = new Set(shownTexts().flatMap(({ text }) => wordsOf(text)));
    const unused = files.flatMap(({ path }) => {
      const [, folder] = /^(plugins\/([^/]+)\/)\2-api\.ts$/.exec(path) ?? [];
      return folder === undefined ? [] : unusedNames(path, otherUsers(files, folder), shown);
    });
    expect(unused).to.deep.equal([]);
  });
});

const otherUsers = (files: readonly SourceFile[], folder: string): readonly SourceFile[] =>
  files.filter(({ path }) => /^(plugins|test\/examples)\//.test(path) && !path.startsWith(folder));

const unusedNames = (path: string, users: readonly SourceFile[], shown: ReadonlySet<string>): readonly string[] => {
  const exported = exportsOf(declarationsOf(path));
  const imported = new Set(users.flatMap((file) => importedNames(file, path)));
  const kept = new Set<string>();
  for (const { name, text } of exported.values()) {
    if (imported.has(name) || shown.has(name) || INTERFACE.test(text)) kept.add(name);
  }
  // The loop also visits the names that it adds.
  for (const name of kept) for (const word of wordsOf(exported.get(name)?.text ?? '')) kept.add(word);
  return [...exported.keys()].filter((name) => !kept.has(name)).map((name) => `${path} exports ${name}`);
};
