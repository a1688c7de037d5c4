import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Variables, Workplace } from '../../adapters/cli/spawned-program.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { pageText } from '../../documents/read-pages.ts';
import { ProgramsHere, STOP, scriptOf } from './programs-here.ts';

const PAGE = 'docs/guides/recover.md';
/** Commands that run longer are ended. */
const COMMANDS_MS = 300_000;
const runFile = promisify(execFile);

/** A service manager for one node, with the words of the page. Other units have a script of their name. */
const systemctl = (startAndStop: string): string => `#!/bin/sh
verb=$1
shift
${startAndStop}[ ! -f environment ] || { set -a; . ./environment; set +a; }
for unit in "$@"; do
  case "$unit" in
    fact-memory-node) "$verb"_node ;;
    *) "$unit" "$verb" || exit 1 ;;
  esac
done
`;

const STARTED_HERE = `stop_node() { fact-memory-node ${STOP}; }
start_node() { fact-memory-node start; }
`;

const STARTED_APART = `stop_node() {
  kill "$(cat service.pid)"
  while kill -0 "$(cat service.pid)" 2>/dev/null; do sleep 0.1; done
}
start_node() {
  fact-memory-node start >service.log 2>&1 &
  echo $! >service.pid
  node --input-type=module -e "$AWAIT_NODE" $! "http://127.0.0.1:$SVC_PORT/healthz" || { cat service.log >&2; exit 1; }
}
`;

/**
 * Waits until a node of this process number serves, and fails when the process ends. One process looks many times,
 * because a start of Node.js for each look would slow the start of the node.
 */
const AWAIT_NODE = `
const [, pid, address] = process.argv;
for (let looks = 0; !(await fetch(address).then((reply) => reply.ok, () => false)); looks += 1) {
  process.kill(Number(pid), 0);
  if (looks === 1_200) process.exit(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
// Open connections to the node would keep the process.
process.exit();
`;

/** Returns the blocks of commands in a section of the page. */
export const blocksOf = (title: string): readonly string[] => {
  const [, section = ''] = pageText(PAGE).split(`\n## ${title}\n`);
  const [own = ''] = section.split('\n## ');
  const blocks = [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
  if (blocks.length === 0) throw new Error(`no commands under "${title}"`);
  return blocks;
};

export const commandsOf = (title: string): string => blocksOf(title).join('');

/**
 * A machine with a node, a target of backups and a safe, which follows the commands of the page. Its node and its
 * commands are processes, unless it is `here`.
 */
export class PageMachine {
  readonly work = new Workplace();
  /** The folder that stands for the disks apart from the machine. */
  readonly places: string;
  readonly #env: Variables;
  readonly #url: string;
  #programs: ProgramsHere | undefined;

  constructor(port: number, places: string, env: Variables = {}) {
    const bin = this.work.path('bin');
    mkdirSync(bin);
    const main = join(projectRoot(), 'dist/config/main.js');
    this.script('fact-memory-node', `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    this.script('systemctl', systemctl(STARTED_APART));
    this.places = places;
    this.#url = `http://127.0.0.1:${port}`;
    this.#env = {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: this.work.folder,
      SVC_PORT: String(port),
      AWAIT_NODE,
      SVC_TOMBSTONES_ENABLED: 'true',
      ...env,
    };
  }

  /** Makes a machine whose node and commands run in this process, which saves a second of processor time for each. */
  static async here(port: number, places: string): Promise<PageMachine> {
    const machine = new PageMachine(port, places);
    machine.#programs = await ProgramsHere.listen(machine.work);
    machine.script('fact-memory-node', scriptOf(machine.#programs.port));
    machine.script('systemctl', systemctl(STARTED_HERE));
    return machine;
  }

  /** Adds a program of the machine. */
  script(name: string, text: string): void {
    writeFileSync(this.work.path(`bin/${name}`), text);
    chmodSync(this.work.path(`bin/${name}`), 0o755);
  }

  /** Types commands, with the real names in the place of those on the page. */
  async type(commands: string, names: Readonly<Record<string, string>> = {}): Promise<string> {
    const real = Object.entries(names).reduce((text, [shown, name]) => text.replaceAll(shown, name), commands);
    const moved = real.replaceAll('/mnt/nas', `${this.places}/nas`).replaceAll('/safe', `${this.places}/safe`);
    const { stdout, stderr } = await runFile('bash', ['--norc', '-c', moved], {
      cwd: this.work.folder,
      env: this.#env,
      timeout: COMMANDS_MS,
    });
    return stdout + stderr;
  }

  /** Sends a request with a key of the machine, by default that of the administrator. */
  request(method: string, path: string, body?: object, keyFile = 'data/admin.key'): Promise<Response> {
    const key = readFileSync(this.work.path(keyFile), 'utf8').trim();
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  async facts(entity: string, keyFile?: string): Promise<readonly string[]> {
    const reply = await this.request('GET', `/v1/facts?entity=${entity}`, undefined, keyFile);
    if (!reply.ok) return [`status ${reply.status}`];
    const { facts } = (await reply.json()) as { readonly facts: readonly { readonly value: { readonly v: string } }[] };
    return facts.map(({ value }) => value.v);
  }

  async assert(entity: string, value: string, source = 'agent:me'): Promise<void> {
    const named = `--source ${source} --scope company --key-file data/admin.key`;
    await this.type(`fact-memory-node assert ${entity} memory:role "${value}" ${named}`);
  }

  get backup(): string {
    return readdirSync(this.work.path('data/backups')).find((name) => name.startsWith('backup-')) ?? '';
  }

  async dispose(): Promise<void> {
    if (existsSync(this.work.path('service.pid'))) await this.type('systemctl stop fact-memory-node').catch(() => '');
    await this.#programs?.close();
    await this.work.dispose();
  }
}
