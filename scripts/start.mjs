// `npm start`: builds when the sources changed, then runs the program in this very process. Together with the `exec` in
// front of the script, which takes the shell's place, that lets a signal to npm reach the node, and lets npm wait until
// it has drained.
import '../config/required-node.mjs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', 'config', 'main.js');
if (build({ ifNeeded: true })) {
  process.argv = [process.argv[0], main, 'start', ...process.argv.slice(2)];
  // Not awaited: an old Node.js could not even read that, and would not come to the check.
  import(pathToFileURL(main).href);
} else {
  process.exitCode = 1;
}
