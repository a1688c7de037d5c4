import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandResult } from '../../adapters/cli/run-in-process.ts';
import type { ServingNode, Variables, Workplace } from '../../adapters/cli/spawned-program.ts';
import { releaseFiles } from '../../kit/release-files.ts';

/** Stands for the program in a shell. A folder holds its words and its output, because both have any bytes. */
export const scriptOf = (port: number): string => `#!/bin/bash
folder=$(mktemp -d -p "$HOME")
printf '%s\\0' "$@" >"$folder/words"
env -0 >"$folder/variables"
exec 3<>"/dev/tcp/127.0.0.1/${port}"
echo "$folder" >&3
read -r code <&3
cat "$folder/stdout"
cat "$folder/stderr" >&2
rm -r "$folder"
exit "$code"
`;

/** The word by which a service manager ends the node, in the place of a signal. */
export const STOP = '--stop-here';

/**
 * Runs the commands and the node of a machine in this process, because loading the program takes longer than most
 * commands. A shell asks for them by `scriptOf`; commands get no standard input.
 */
export class ProgramsHere {
  readonly port: number;
  readonly #server: Server;
  readonly #work: Workplace;
  #node: ServingNode | undefined;

  private constructor(work: Workplace, server: Server, port: number) {
    this.#work = work;
    this.#server = server;
    this.port = port;
  }

  static async listen(work: Workplace): Promise<ProgramsHere> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const programs = new ProgramsHere(work, server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => programs.#serve(socket));
    return programs;
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    createInterface(socket).once('line', async (folder) => socket.end(`${await this.#answer(folder)}\n`));
  }

  /** Does what the files of a folder ask for, and leaves the output there. Returns the exit code. */
  async #answer(folder: string): Promise<number> {
    const read = (name: string): readonly string[] => readFileSync(join(folder, name), 'utf8').split('\0').slice(0, -1);
    const env = Object.fromEntries(read('variables').map((line) => line.split(/=(.*)/s, 2)));
    const { exitCode, stdout, stderr } = await this.#do(read('words'), env).catch((error: unknown) => ({
      exitCode: 1,
      stdout: '',
      stderr: String(error),
    }));
    writeFileSync(join(folder, 'stdout'), stdout);
    writeFileSync(join(folder, 'stderr'), stderr);
    return exitCode;
  }

  async #do(words: readonly string[], env: Variables): Promise<CommandResult> {
    const done = { exitCode: 0, stdout: '', stderr: '' };
    const [word] = words;
    if (word === 'start') {
      this.#node = await this.#work.serve(undefined, env);
      return done;
    }
    if (word === STOP) {
      await this.#stop();
      return done;
    }
    const result = await this.#work.run(words, env);
    await this.#releaseFiles();
    return result;
  }

  async #stop(): Promise<void> {
    await this.#node?.end();
    this.#node = undefined;
    await this.#releaseFiles();
  }

  /** The next command may replace the files of the store, as may the shell. */
  async #releaseFiles(): Promise<void> {
    if (!this.#work.isServing) await releaseFiles(this.#work.folder);
  }
}
