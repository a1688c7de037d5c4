import { expect } from 'chai';
import { runScript } from './run-script.ts';

export interface StoppedWork {
  /** The address of the module that does the work. The source text below reaches its exports as `module`. */
  readonly module: string;
  /** Source text that makes the folder `at` ready. */
  readonly prepare?: string;
  /** Source text that works in the folder `at`. */
  readonly work: string;
}

/**
 * Does the work in a new process, in one folder after another: `folder/0` and so on. In each it stops for ever before a
 * later step on files, as a killed process does, and in the last one it ends. Returns the folders.
 */
export const stopAtEachStep = async (folder: string, stopped: StoppedWork): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await runScript(sourceOf(folder, stopped));
  expect(code, stderr).to.equal(0);
  return JSON.parse(stdout) as string[];
};

const sourceOf = (folder: string, { module, prepare = '', work }: StoppedWork): string => `
import { randomBytes, randomUUID } from 'node:crypto';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const random = { uuid: () => randomUUID(), bytes: (length) => new Uint8Array(randomBytes(length)) };
let left = Infinity;
let stop;
const count = (owner, name) => {
  const original = owner[name];
  owner[name] = function (...given) {
    if (left === 0) {
      stop('stopped');
      return new Promise(() => {});
    }
    left -= 1;
    return original.apply(this, given);
  };
};
const file = await promises.open(process.execPath);
for (const name of ['writeFile', 'sync']) count(Object.getPrototypeOf(file), name);
await file.close();
for (const name of ['mkdir', 'open', 'link', 'rename', 'rm']) count(promises, name);
syncBuiltinESMExports();
const module = await import(${JSON.stringify(module)});
const folders = [];
for (let end = 'stopped'; end === 'stopped'; ) {
  const at = ${JSON.stringify(folder)} + '/' + folders.length;
  left = Infinity;
  await promises.mkdir(at);
  ${prepare}
  left = folders.length;
  folders.push(at);
  end = await Promise.race([
    new Promise((resolve) => { stop = resolve; }),
    (async () => { ${work} })(),
  ]);
}
process.stdout.write(JSON.stringify(folders), () => process.exit(0));
`;
