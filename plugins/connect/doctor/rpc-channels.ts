import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { CommandServer } from '../../../kernel/command-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import type { WrittenEntry } from '../clients/client.ts';
import type { SendMessage } from './rpc-exchange.ts';

export interface RpcChannel {
  readonly send: SendMessage;
  close(): void;
}

const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** Streamable HTTP: each message is a request. The reply is JSON or a short stream of events. */
export const openHttpChannel = (
  server: CommandServer,
  path: string,
  key: string | undefined,
  timeoutMs: number,
): RpcChannel => {
  let session: string | undefined;
  return {
    async send(message) {
      const reply = await server.send({
        method: 'POST',
        path,
        timeoutMs,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: Buffer.from(JSON.stringify(message)),
        ...(key === undefined ? {} : { key }),
      });
      session ??= reply.header('mcp-session-id');
      if (reply.status >= 400) throw new ServiceError('unavailable', `the node replied with status ${reply.status}`);
      return reply.header('content-type')?.startsWith('text/event-stream') === true
        ? lastEvent(reply.text)
        : reply.document;
    },
    close() {},
  };
};

const lastEvent = (text: string): unknown => {
  const data = text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .at(-1);
  return data === undefined ? undefined : parse(data.slice('data:'.length));
};

/** Starts the client's program, and exchanges messages with it line by line. */
export const openStdioChannel = (
  { command, args, env }: WrittenEntry,
  outer: Readonly<Record<string, string | undefined>>,
): RpcChannel => {
  const child = spawn(command ?? '', [...args], {
    env: { ...outer, ...env } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<unknown, { resolve(reply: unknown): void; reject(error: Error): void }>();
  const fail = (why: string): void => {
    for (const { reject } of waiting.values()) reject(new ServiceError('unavailable', why));
    waiting.clear();
    ended = why;
  };
  let ended: string | undefined;
  child.on('error', () => fail('the program cannot be started'));
  child.on('exit', (code) => fail(`the program ended with ${code ?? 'a signal'}`));
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = line.length > MAX_LINE_LENGTH ? undefined : parse(line);
    const id = (reply as { readonly id?: unknown } | undefined)?.id;
    waiting.get(id)?.resolve(reply);
    waiting.delete(id);
  });
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(new ServiceError('unavailable', ended));
        const { id } = message as { readonly id?: unknown };
        if (id !== undefined) waiting.set(id, { resolve, reject });
        child.stdin.write(`${JSON.stringify(message)}\n`);
        if (id === undefined) resolve(undefined);
      }),
    close() {
      child.removeAllListeners('exit');
      child.kill();
    },
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
