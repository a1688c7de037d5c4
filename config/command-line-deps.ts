import { readFileSync } from 'node:fs';
import type { CommandLineDeps } from '../adapters/cli/command-line-deps.ts';
import { BootError } from '../kernel/boot/boot-problem.ts';
import { inspectNode } from './inspect-node.ts';
import { openNode } from './open-node.ts';

/** Gives the command line what it drives: nodes, composed here and known to it only by its own interface. */
export const createCommandLineDeps = ({ env, stdin, stdout, stderr }: NodeJS.Process): CommandLineDeps => ({
  version: readVersion(),
  env,
  stdin,
  stdout,
  stderr,
  openNode,
  inspectNode,
  problemsOf: (error) => (error instanceof BootError ? error.problems : []),
});

const readVersion = (): string => {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
};
