import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from './processes/start-node.ts';
import { median } from './report/median.ts';
import { figure, printTable } from './report/print-table.ts';

export interface CommandsOptions {
  readonly rounds: number;
  /** The folder of another checkout, whose program takes turns with this one. */
  readonly against?: string | undefined;
}

const MAIN = 'config/main.js';
const DIST = fileURLToPath(new URL('..', import.meta.url));
const HOOK_INPUT = JSON.stringify({ cwd: '/', prompt: 'Who is the archivist of the north wing?', session_id: 'bench' });

const COMMANDS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['hook prompt', ['hook', 'prompt', '--client', 'claude-code']],
  ['recall', ['recall', 'Who is the archivist?']],
  ['assert', ['assert', 'user:alice', 'memory:role', 'archivist']],
  ['query', ['query', '--entity', 'user:alice']],
  ['--version', ['--version']],
];

/** Compares commands, each with its request to a running node, with the start of bare `node`, by turns. */
export const benchCommands = async ({ rounds, against }: CommandsOptions): Promise<void> => {
  const node = await startNode();
  const env = {
    PATH: process.env['PATH'],
    HOME: node.folder,
    SVC_URL: `http://127.0.0.1:${node.port}`,
    SVC_API_KEY: node.key,
  };
  const builds = against === undefined ? [DIST] : [DIST, resolve(against, 'dist')];
  const side = (name: string, argv: readonly string[]) => ({ name, argv, wallMs: [] as number[], cpuMs: 0 });
  const bare = side('bare node', ['-e', '0']);
  const sides = [
    bare,
    ...COMMANDS.flatMap(([name, argv]) =>
      builds.map((build, at) => side(at === 0 ? name : `${name}, ${against}`, [join(build, MAIN), ...argv])),
    ),
  ];
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const one of sides) {
        const cpuBeforeMs = childrenCpuMs();
        one.wallMs.push(await runMs(one.argv, env));
        one.cpuMs += childrenCpuMs() - cpuBeforeMs;
      }
    }
    printTable(
      ['start', 'ms', '× bare', 'cpu ms', '× bare'],
      sides.map(({ name, wallMs, cpuMs }) => [
        name,
        figure(median(wallMs)),
        figure(median(wallMs) / median(bare.wallMs), 1),
        figure(cpuMs / rounds),
        figure(cpuMs / bare.cpuMs, 1),
      ]),
    );
  } finally {
    await node.stop();
  }
};

const runMs = async (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin?.on('error', () => {}).end(HOOK_INPUT);
  const [exitCode] = (await once(child, 'exit')) as [number];
  if (exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${exitCode}`);
  return performance.now() - startMs;
};

/** Returns the processor time of the ended children of this process; Linux counts in hundredths of a second. */
const childrenCpuMs = (): number => {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
};
