// Compiles the AssemblyScript of the search codes to WebAssembly, into the folder of their compiled code:
// `build-code-scanner.mjs [OUT_DIR]`, dist by default.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const COMPILER = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js');
const FOLDER = join('plugins', 'search', 'codes');

/** Returns false, after a message, when the compiler is missing or found errors. */
export const buildCodeScanner = (outDir) => {
  if (!existsSync(COMPILER)) {
    console.error('The AssemblyScript compiler is not installed. Run "npm ci" (without --omit=dev) and try again.');
    return false;
  }
  const source = join(FOLDER, 'wasm', 'code-scanner.ts');
  const target = join(resolve(outDir), FOLDER, 'code-scanner.wasm');
  const options = ['-o', target, '-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--maximumMemory', '65536'];
  // Uses paths relative to the folder, so that the same source gives the same bytes everywhere.
  const compiler = spawnSync(process.execPath, [COMPILER, source, ...options], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  return compiler.status === 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = buildCodeScanner(process.argv[2] || join(ROOT, 'dist')) ? 0 : 1;
}
