// `npm start`: builds when the sources changed, then runs the program in this process. The npm script uses `exec`, so
// that a signal to npm reaches the node, and npm waits until it has drained.
import '../config/required-node.mjs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', 'config', 'main.js');
if (build({ ifNeeded: true })) {
  process.argv = [process.argv[0], main, 'start', ...process.argv.slice(2)];
  // Not awaited, because an old Node.js cannot parse a top-level await and would fail before the check of its version.
  import(pathToFileURL(main).href);
} else {
  process.exitCode = 1;
}
