// Bundles the program and the entries of the package into dist/program/, because finding and reading a thousand files
// takes most of the time of a start. Entries share chunks, so that the program and third-party plugins have one instance
// of each module. Commands that open no node run from small bundles of their own. Threads, assets and types stay in the
// folders of their sources.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = 'dist/program';

/** Returns the bundled entries of the package: the output without its ending, and the compiled module. */
const packageEntries = () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.values(exports)
    .filter((target) => target.default?.startsWith(`./${FOLDER}/`))
    .flatMap(({ types, default: output }) => {
      const names = types.includes('*') ? readdirSync(join(ROOT, 'dist/plugins')) : [''];
      return names.map((name) => [output, types].map((path) => path.replaceAll('*', name)));
    })
    .map(([output, types]) => ({
      out: output.slice(`./${FOLDER}/`.length, -'.js'.length),
      in: join(ROOT, types.replace(/\.d\.ts$/, '.js')),
    }))
    .filter((entry) => existsSync(entry.in));
};

/** Gives each module its own URL, from which it finds its assets and threads. */
const ownUrls = {
  name: 'own-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]dist[\\/].+\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = relative(join(ROOT, FOLDER), path).split(sep).join('/');
      return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
    });
  },
};

/**
 * Lets the bundler drop modules without used exports. Otherwise an import from `plugin-api` would load the whole
 * kernel.
 */
const unusedModules = {
  name: 'unused-modules',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\/.+\.m?js$/ }, ({ path, resolveDir }) =>
      resolveDir.includes('node_modules') ? undefined : { path: join(resolveDir, path), sideEffects: false },
    );
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path === 'commander' ? undefined : { path, external: true, sideEffects: false },
    );
  },
};

const bundle = (entryPoints, plugins, more = { packages: 'external' }) =>
  build({
    entryPoints,
    plugins,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.12',
    format: 'esm',
    charset: 'utf8',
    sourcemap: true,
    sourcesContent: false,
    outdir: join(ROOT, FOLDER),
    chunkNames: '[name]-[hash]',
    absWorkingDir: ROOT,
    logLevel: 'warning',
    ...more,
  });

/** Gives the CommonJS modules of Commander a `require` for the modules of Node. */
const WITH_COMMANDER = {
  minifySyntax: true,
  minifyWhitespace: true,
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

const program = (name) => ({ out: name, in: join(ROOT, `dist/config/programs/${name}.js`) });

try {
  await bundle([program('program'), ...packageEntries()], [ownUrls]);
  // Bundles these separately, because chunks shared with the node contain far more than they need. Includes Commander,
  // because loading its files takes as long as the rest of a hook.
  for (const name of ['hook', 'mcp', 'client']) await bundle([program(name)], [unusedModules, ownUrls], WITH_COMMANDER);
} catch {
  // The bundler has printed the errors.
  process.exitCode = 1;
}
