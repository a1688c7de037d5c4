import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, runInProcess } from '../../adapters/cli/run-in-process.ts';
import { type ServedNode, startServedNode } from '../../kit/start-served-node.ts';

/** The command line that starts this program. */
export const PROGRAM: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('../../../config/main.js', import.meta.url)),
];

/** A user with an empty home folder, who connects clients to a node. */
export interface ConnectedUser {
  readonly node: ServedNode;
  readonly url: string;
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  run(argv: readonly string[], more?: Readonly<Record<string, string>>, input?: string): Promise<CommandResult>;
  /** Runs a command at a simulated terminal, where the answers are typed. */
  runAtTerminal(argv: readonly string[], answers: readonly string[]): Promise<CommandResult>;
  write(path: string, text: string): Promise<void>;
  /** Returns the text of a file, or undefined if the file does not exist. */
  read(path: string): Promise<string | undefined>;
  /** Returns the text of every file below a folder of the user, by path. */
  files(folder?: string): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

export const connectUser = async (node?: ServedNode): Promise<ConnectedUser> => {
  const served = node ?? (await startServedNode());
  const root = await mkdtemp(join(tmpdir(), 'connected-'));
  const home = join(root, 'home');
  const project = join(root, 'acme-web');
  await mkdir(home);
  await mkdir(project);
  const { url } = served;
  const env = { HOME: home, USER: 'noor', SVC_URL: url, SVC_API_KEY: served.adminKey, PATH: process.env['PATH'] ?? '' };
  const at = (path: string): string => (path.startsWith('/') ? path : join(home, path));
  return {
    node: served,
    url,
    home,
    project,
    env,
    run: (argv, more = {}, input = '') => runInProcess(argv, { env: { ...env, ...more }, program: PROGRAM, input }),
    runAtTerminal: (argv, answers) =>
      runInProcess(argv, { env, program: PROGRAM, terminal: { columns: 100, answers } }),
    async write(path, text) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    },
    read: (path) => readFile(at(path), 'utf8').catch(() => undefined),
    async files(folder = home) {
      const found: Record<string, string> = {};
      for (const name of await readdir(folder, { recursive: true })) {
        const path = join(folder, name);
        if ((await lstat(path)).isFile()) found[name] = await readFile(path, 'utf8');
      }
      return found;
    },
    async stop() {
      await rm(root, { recursive: true, force: true });
      if (node === undefined) await served.stop();
    },
  };
};
