// `npm run dev`: runs the node, and builds and restarts it when a source changes. Arguments go to the node.
import '../config/required-node.mjs';
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN = join(ROOT, 'dist', 'config', 'main.js');
const FOLDERS = ['kernel', 'ports', 'plugins', 'adapters', 'config'];
/** An editor that saves many files at once gives one build. */
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

/** One build at a time; what changes meanwhile is built afterwards. */
const rebuild = async () => {
  if (isBuilding) return;
  isBuilding = true;
  while (isChanged && !isEnding) {
    isChanged = false;
    // A build begins by emptying the folder from which the node may still load something.
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
