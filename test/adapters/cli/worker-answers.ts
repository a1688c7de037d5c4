import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RunningProgram, Workplace } from './spawned-program.ts';

/**
 * Returns arguments of `start` for a node whose route `/who` returns the id of the process that answers. `more` is
 * additional code for the plugin's `setup`, `plugins` are those of the configuration.
 */
export const tellingWho = (place: Workplace, more = '', plugins: Readonly<Record<string, boolean>> = {}): string[] => {
  writeFileSync(
    place.path('who.mjs'),
    `import cluster from 'node:cluster';
    export const who = {
      name: 'who', version: '1.0.0', kernelApi: 1, summary: 'which process answers',
      async setup({ route }) {
        ${more}
        const handle = () => ({ status: 200, body: { pid: process.pid } });
        route({ method: 'GET', path: '/who', summary: 'this process', access: 'open', answers: { 200: { json: {} } }, handle });
      },
    };`,
  );
  writeFileSync(place.path('node.json'), JSON.stringify({ plugins: { ...plugins, who: { from: './who.mjs' } } }));
  return ['--config', 'node.json'];
};

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends one request, on a new connection unless an agent reuses one. Rejects when the connection breaks. */
export const ask = async (
  url: string,
  options: { agent?: Agent; method?: string; key?: string; body?: unknown } = {},
): Promise<Answer> => {
  const { agent = false, method = 'GET', key, body } = options;
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const sent = request(url, { agent, method, headers });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, body: await text(reply) };
};

/** Returns the id of the process that answers. */
export const pidAt = async (url: string, agent?: Agent): Promise<number> => {
  const { status, body } = await ask(`${url}/who`, agent === undefined ? {} : { agent });
  if (status !== 200) throw new Error(`/who answered ${status}`);
  return (JSON.parse(body) as { pid: number }).pid;
};

/** Opens one keep-alive connection to each of `count` processes. Never resolves when there are fewer. */
export const connectionsByPid = async (url: string, count: number): Promise<Map<number, Agent>> => {
  const agents = new Map<number, Agent>();
  while (agents.size < count) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const pid = await pidAt(url, agent);
    if (agents.has(pid)) agent.destroy();
    else agents.set(pid, agent);
  }
  return agents;
};

/** Returns the next lines of the log that have this message, up to a count. */
export const nextLines = (
  { child }: RunningProgram,
  message: string,
  count: number,
): Promise<readonly Record<string, unknown>[]> =>
  new Promise((resolve) => {
    const found: Record<string, unknown>[] = [];
    let rest = '';
    const onData = (chunk: Buffer): void => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      found.push(
        ...lines
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .filter((line) => line['message'] === message),
      );
      if (found.length < count) return;
      child.stderr?.off('data', onData);
      resolve(found);
    };
    child.stderr?.on('data', onData);
  });
