// Checks the console's application and bundles it into dist/plugins/console/files/. File names contain a hash of the
// content. The files are stored compressed, in the form for browsers.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

// Imports the module as a whole, because named imports that an old Node.js lacks would fail before the check of its
// version.
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = join(ROOT, 'plugins', 'console', 'app');
/** A page that the console shows. */
const GLOSSARY = join(ROOT, 'docs/concepts/glossary.md');

/** Returns false when the compiler or the bundler found errors, which are printed. */
export const buildConsole = (dist) => {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const checked = spawnSync(process.execPath, [compiler, '-p', join(SOURCES, 'tsconfig.json')], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (checked.status !== 0) return false;
  const folder = join(dist, 'plugins', 'console', 'files');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const metafile = bundle(folder);
  if (metafile === undefined) return false;
  const files = listFiles(folder, metafile);
  for (const name of files.files) compress(join(folder, name));
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
  return true;
};

const bundle = (folder) => {
  // Imports it only here, because without development dependencies the build can then print its own message.
  const { buildSync } = createRequire(import.meta.url)('esbuild');
  try {
    return buildSync({
      entryPoints: [join(SOURCES, 'main.tsx')],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      legalComments: 'none',
      define: { GLOSSARY_PAGE: JSON.stringify(readFileSync(GLOSSARY, 'utf8')) },
      outdir: folder,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      metafile: true,
      logLevel: 'warning',
      absWorkingDir: ROOT,
    }).metafile;
  } catch {
    // The bundler has printed the errors.
    return undefined;
  }
};

const compress = (path) => {
  writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  rmSync(path);
};

const listFiles = (folder, { outputs }) => {
  const [path, { cssBundle }] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint !== undefined && entryPoint.endsWith('main.tsx'));
  return { script: basename(path), style: basename(cssBundle), files: readdirSync(folder).sort() };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = buildConsole(join(ROOT, 'dist')) ? 0 : 1;
}
