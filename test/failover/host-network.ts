import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const DATABASE_HOSTS = [1, 2, 3] as const;

/** The address of a host in the network, the same in every run because nothing outside sees it. */
export const addressOf = (host: number): string => `10.99.0.${host}`;
const HUB_ADDRESS = '10.99.0.100/24';

/**
 * Three database hosts and a hub for the nodes, as network namespaces that a bridge connects. Nothing else can reach
 * them. Needs the rights of root, and the program `ip`.
 */
export class HostNetwork {
  readonly #prefix: string;

  /** Joins a network of this name, which `create` has made. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get hub(): string {
    return `${this.#prefix}-hub`;
  }

  async create(): Promise<void> {
    await ip('netns', 'add', this.hub);
    await inside(this.hub, 'link', 'add', 'bridge', 'type', 'bridge');
    await inside(this.hub, 'address', 'add', HUB_ADDRESS, 'dev', 'bridge');
    for (const device of ['lo', 'bridge']) await inside(this.hub, 'link', 'set', device, 'up');
    for (const host of DATABASE_HOSTS) {
      const name = this.nameOf(host);
      await ip('netns', 'add', name);
      await inside(this.hub, 'link', 'add', cable(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      await inside(this.hub, 'link', 'set', cable(host), 'master', 'bridge');
      await inside(name, 'address', 'add', `${addressOf(host)}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) await inside(name, 'link', 'set', device, 'up');
      await this.join(host);
    }
  }

  /** Ends every process of the namespaces, and removes them. */
  async remove(): Promise<void> {
    for (const host of DATABASE_HOSTS) {
      await this.signal(host, 'SIGKILL').catch(() => {});
      await ip('netns', 'delete', this.nameOf(host)).catch(() => {});
    }
    for (const pid of await pidsIn(this.hub).catch(() => [])) process.kill(pid, 'SIGKILL');
    await ip('netns', 'delete', this.hub).catch(() => {});
  }

  nameOf(host: number): string {
    return `${this.#prefix}-db${host}`;
  }

  cut(host: number): Promise<unknown> {
    return inside(this.hub, 'link', 'set', cable(host), 'down');
  }

  join(host: number): Promise<unknown> {
    return inside(this.hub, 'link', 'set', cable(host), 'up');
  }

  /** Sends a signal to every process of a host. */
  async signal(host: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    for (const pid of await pidsIn(this.nameOf(host))) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  /** Starts a program on a host, under the account that PostgreSQL runs under. */
  start(host: number, log: number, program: string, args: readonly string[]): void {
    const account = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
    const child = spawn('ip', ['netns', 'exec', this.nameOf(host), ...account, program, ...args], {
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
    });
    child.unref();
  }

  /** Runs a program on a host; rejects when it fails or exceeds its time limit. */
  run(host: number, limitMs: number, program: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
    return run('ip', ['netns', 'exec', this.nameOf(host), program, ...args], { timeout: limitMs });
  }
}

const cable = (host: number): string => `to-db${host}`;

const ip = (...args: readonly string[]): Promise<unknown> => run('ip', args);

const inside = (namespace: string, ...args: readonly string[]): Promise<unknown> => ip('-n', namespace, ...args);

const pidsIn = async (namespace: string): Promise<number[]> => {
  const { stdout } = await run('ip', ['netns', 'pids', namespace]);
  return stdout.split('\n').filter(Boolean).map(Number);
};
