import { spawnSync } from 'node:child_process';

/** A process that may not write a byte to a file gets an error as on a full disk. */
const WITHOUT_ROOM = 'ulimit -f 0; exec "$0" --input-type=module -e "$1"';

/**
 * Runs an expression in a process without room for files, and returns the message and the hint of its rejection. It has
 * the exports of a module as `module`.
 */
export const refusalOnFullDisk = (module: string, expression: string): { message: string; hint?: string } => {
  const program = `
    const module = await import(${JSON.stringify(module)});
    const outcome = await (${expression}).then(() => ({ message: 'done' }), ({ message, hint }) => ({ message, hint }));
    process.stdout.write(JSON.stringify(outcome));`;
  const { stdout, stderr } = spawnSync('sh', ['-c', WITHOUT_ROOM, process.execPath, program], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as { message: string; hint?: string };
};
