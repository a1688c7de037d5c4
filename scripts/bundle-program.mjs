// Bundles the program and the entries of the package into dist/program/, because finding and reading a thousand files
// takes most of the time of a start. Entries share chunks, so that the program and third-party plugins have one instance
// of each module. Commands that open no node run from small bundles of their own. The threads of every start become one
// file each, in the folders of their sources, where other threads, assets and types stay.
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

/** Gives each module its own URL, from which it finds its assets and threads, in a bundle of this folder. */
const ownUrls = (folder) => ({
  name: 'own-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]dist[\\/].+\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = relative(join(ROOT, folder), path).split(sep).join('/');
      return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
    });
  },
});

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

const WITHOUT_PACKAGES = { packages: 'external' };

const SHARED = {
  outdir: join(ROOT, FOLDER),
  splitting: true,
  chunkNames: '[name]-[hash]',
};

const bundle = (entryPoints, plugins, more) =>
  build({
    entryPoints,
    plugins,
    bundle: true,
    platform: 'node',
    target: 'node20.12',
    format: 'esm',
    charset: 'utf8',
    sourcemap: true,
    sourcesContent: false,
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

/** The threads that every start begins. As separate files, their 121 modules would be found and read one by one. */
const THREADS = ['dist/adapters/sqlite/writer/writer-worker.js', 'dist/plugins/search/host/index-thread.js'];

/** Replaces a thread by its bundle, because its callers find it by its place. */
const bundleThread = (path) =>
  bundle([path], [ownUrls(dirname(path))], { ...WITHOUT_PACKAGES, outfile: join(ROOT, path), allowOverwrite: true });

const program = (name) => ({ out: name, in: join(ROOT, `dist/config/programs/${name}.js`) });

try {
  await bundle([program('program'), ...packageEntries()], [ownUrls(FOLDER)], { ...SHARED, ...WITHOUT_PACKAGES });
  for (const path of THREADS) await bundleThread(path);
  // Bundles these separately, because chunks shared with the node contain far more than they need. Includes Commander,
  // because loading its files takes as long as the rest of a hook.
  for (const name of ['hook', 'mcp', 'client']) {
    await bundle([program(name)], [unusedModules, ownUrls(FOLDER)], { ...SHARED, ...WITH_COMMANDER });
  }
} catch {
  // The bundler has printed the errors.
  process.exitCode = 1;
}
