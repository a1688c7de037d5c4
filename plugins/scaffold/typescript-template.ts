import { JAVASCRIPT } from './javascript-template.ts';
import type { LanguageTemplate } from './plugin-files.ts';

/** Derives the TypeScript program: the same one, with types where they cannot be inferred. */
const typed = (path: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((text, [from, to]) => text.replace(from, to), JAVASCRIPT.files[path] ?? '');

const PLUGIN = typed('NAME-plugin.mjs', {
  '\nexport const EXPORT': '\ninterface Settings {\n  readonly most: number;\n}\n\nexport const EXPORT',
  'schema({': 'schema<Settings>({',
  'let recent = []': 'let recent: readonly string[] = []',
});

const TEST = typed('NAME-plugin.test.mjs', {
  './NAME-plugin.mjs': './NAME-plugin.js',
  'const stored = []': 'const stored: unknown[] = []',
});

const SETTINGS = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node', 'mocha'],
    rootDir: 'src',
    outDir: 'dist',
    declaration: true,
    strict: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

export const TYPESCRIPT: LanguageTemplate = {
  module: 'dist/NAME-plugin.js',
  scripts: { build: 'tsc', pretest: 'tsc', test: 'mocha "dist/*.test.js"', prestart: 'tsc', prepack: 'tsc' },
  devDependencies: { '@types/mocha': '^10.0.10', '@types/node': '^20.19.43', typescript: '^7.0.2' },
  files: {
    'src/NAME-plugin.ts': PLUGIN,
    'src/NAME-plugin.test.ts': TEST,
    'tsconfig.json': `${JSON.stringify(SETTINGS, null, 2)}\n`,
  },
};
