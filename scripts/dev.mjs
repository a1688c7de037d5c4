// `npm run dev`: runs the node, and rebuilds and restarts it when a source changes. Arguments are passed to the node.
import '../config/required-node.mjs';
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN = join(ROOT, 'dist', 'config', 'main.js');
const FOLDERS = ['kernel', 'ports', 'plugins', 'adapters', 'config'];
/** The pause after a change before the build, so that an editor that saves many files causes one build. */
const QUIET_MS = 200;

let node;
let timer;
let isChanged = true;
let isBuilding = false;
let isEnding = false;

const startNode = () => {
  const child = spawn(process.execPath, [MAIN, 'start', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
  node = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
};

const stopNode = async () => {
  node?.child.kill('SIGTERM');
  await node?.ended;
  node = undefined;
};

/** Builds once at a time. Changes during a build cause another one afterwards. */
const rebuild = async () => {
  if (isBuilding) return;
  isBuilding = true;
  while (isChanged && !isEnding) {
    isChanged = false;
    // Stops the node first, because a build empties the folder from which the node may still load files.
    await stopNode();
    if (build({ ifNeeded: true })) startNode();
    else console.error('The node starts when the sources compile again.');
  }
  isBuilding = false;
};

const notice = () => {
  isChanged = true;
  clearTimeout(timer);
  timer = setTimeout(rebuild, QUIET_MS);
};

const end = async () => {
  if (isEnding) return;
  isEnding = true;
  clearTimeout(timer);
  await stopNode();
  process.exit(0);
};

process.on('SIGINT', end);
process.on('SIGTERM', end);
for (const folder of FOLDERS) {
  if (existsSync(join(ROOT, folder))) watch(join(ROOT, folder), { recursive: true }, notice);
}
await rebuild();
