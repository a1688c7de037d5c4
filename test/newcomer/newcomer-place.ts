import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../kit/free-port.ts';
import { cacheBeside, NO_REGISTRY } from '../package/npm-cache.ts';
import { packedPackage } from '../package/packed-package.ts';
import { type StartedProgram, startProgram } from '../package/started-program.ts';

const runFile = promisify(execFile);

/**
 * The time limit of a step, so that no step hangs. The transcript shows the duration of each step, which depends on the
 * machine and on npm.
 */
export const STEP_LIMIT_MS = 300_000;
const SHOWN_ADDRESS = 'http://127.0.0.1:8765';

/** Begins the output of an installation that the machine could not do. */
export const UNREACHED = 'npm reaches no registry here';

export interface StepResult {
  readonly exitCode: number;
  readonly output: string;
}

/** A folder that holds nothing but the tarball, with a shell. Commands are those of a page, except for the port. */
export interface NewcomerPlace {
  readonly folder: string;
  /** Returns an address of a page with the port that this test uses. */
  addressOf(shown: string): string;
  /** Runs lines in a shell to their end, within the time limit. Exported variables remain for later lines. */
  type(lines: string): Promise<StepResult>;
  /** Starts a command that runs until it is stopped. */
  start(line: string): Promise<StartedProgram>;
  /** Returns everything typed so far, with output and duration. */
  transcript(): string;
  dispose(): Promise<void>;
}

export const openNewcomerPlace = async (): Promise<NewcomerPlace> => {
  const { tarball, folder: unpacked } = await packedPackage();
  const place = mkdtempSync(join(tmpdir(), 'newcomer-'));
  let folder = join(place, 'empty');
  mkdirSync(folder);
  copyFileSync(tarball, join(folder, basename(tarball)));
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}`;
  const env = {
    PATH: `${join(place, 'global/bin')}:${process.env['PATH'] ?? ''}`,
    HOME: place,
    npm_config_cache: await cacheBeside(place),
    npm_config_prefix: join(place, 'global'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    SVC_PORT: port,
    SVC_URL: address,
    NO_COLOR: '1',
  };
  const told: string[] = [];
  const started: StartedProgram[] = [];
  let exported = '';
  const run = async (lines: string): Promise<StepResult> => {
    if (lines.startsWith('export ')) exported += `${lines}\n`;
    const options = { cwd: folder, env, timeout: STEP_LIMIT_MS, killSignal: 'SIGKILL' } as const;
    const done = await runFile('bash', ['--norc', '-c', `exec 2>&1\n${exported}${lines}`], options).then(
      ({ stdout }) => ({ exitCode: 0, output: stdout }),
      (error: Error & { readonly code?: unknown; readonly stdout?: string }) => {
        if (typeof error.code !== 'number') throw error;
        return { exitCode: error.code, output: error.stdout ?? '' };
      },
    );
    if (!lines.includes('npm install') || done.exitCode === 0 || !NO_REGISTRY.test(done.output)) return done;
    folder = join(unpacked, 'newcomer');
    mkdirSync(folder, { recursive: true });
    copyFileSync(tarball, join(folder, basename(tarball)));
    return { exitCode: 0, output: `${UNREACHED}: the unpacked package is used instead\n` };
  };
  const timed = async <T>(line: string, work: () => Promise<T>, outputOf: (result: T) => string): Promise<T> => {
    const beginMs = performance.now();
    const result = await work();
    const seconds = ((performance.now() - beginMs) / 1_000).toFixed(1);
    told.push(`$ ${line.trim()}    [${seconds} s]\n${outputOf(result)}`);
    return result;
  };
  return {
    get folder() {
      return folder;
    },
    addressOf: (shown) => shown.replace(SHOWN_ADDRESS, address),
    type: (lines) =>
      timed(
        lines,
        () => run(lines),
        ({ output }) => output,
      ),
    async start(line) {
      const [command = '', ...argv] = line.trim().split(' ');
      const program = await timed(
        line,
        () => startProgram([command, ...argv], { folder, env }),
        ({ greeting }) => greeting,
      );
      started.push(program);
      return program;
    },
    transcript: () => told.join('\n'),
    async dispose() {
      for (const program of started) await program.end('SIGKILL');
      rmSync(place, { recursive: true, force: true });
    },
  };
};
