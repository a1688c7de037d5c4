import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';

/** The folder of other versions of Node.js, which are installed separately. */
export const NODE_VERSIONS = join(projectRoot(), 'test/node-versions');

/** Returns the program of a main version of Node.js; undefined for a version that is not installed. */
export const otherNode = (version: string): string | undefined => {
  const program = join(NODE_VERSIONS, 'node_modules', `node-${version}-${platform()}-${arch()}`, 'bin/node');
  if (existsSync(program)) return program;
  return process.versions.node.startsWith(`${version}.`) ? process.execPath : undefined;
};
