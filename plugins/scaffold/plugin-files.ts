import { NODE_VERSION } from '../../kernel/internal-api.ts';
import { JAVASCRIPT } from './javascript-template.ts';
import { README } from './readme-template.ts';
import { TYPESCRIPT } from './typescript-template.ts';

/** The differences between the languages. */
export interface LanguageTemplate {
  /** The path of the module that a configuration names. */
  readonly module: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** The file texts by path, with the placeholders of `fill`. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the files of a new plugin, by path. All texts end with a line feed. */
export const pluginFiles = (name: string, isTypeScript: boolean): ReadonlyMap<string, string> => {
  const { module, scripts, devDependencies, files } = isTypeScript ? TYPESCRIPT : JAVASCRIPT;
  const texts: Readonly<Record<string, string>> = {
    'package.json': json({
      name: 'NAME',
      version: '0.1.0',
      description: 'A plugin for fact-memory-node.',
      type: 'module',
      exports: `./${module}`,
      files: isTypeScript ? ['dist', '!dist/*.test.*'] : [module],
      scripts: { ...scripts, start: 'fact-memory-node start --config node.json' },
      peerDependencies: { 'fact-memory-node': NODE_VERSION },
      devDependencies: {
        chai: '^6.3.0',
        'fact-memory-node': NODE_VERSION,
        'fast-check': '^4.10.2',
        mocha: '^12.0.3',
        ...devDependencies,
      },
    }),
    'node.json': json({ plugins: { NAME: { from: `./${module}`, most: 3 } } }),
    'README.md': README,
    '.gitignore': 'node_modules/\ndata/\ndist/\n',
    ...files,
  };
  return new Map(Object.entries(texts).map(([path, text]) => [fill(path, name), fill(text, name)]));
};

/** Replaces the placeholders: `NAME` by the name of the plugin, `EXPORT` by the name of its module's export. */
const fill = (text: string, name: string): string =>
  text.replaceAll('NAME', name).replaceAll(
    'EXPORT',
    name.replaceAll(/-([a-z0-9])/g, (_, next: string) => next.toUpperCase()),
  );

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
