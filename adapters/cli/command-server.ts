import type { CommandServer, ServerPlace, ServerReply } from '../../kernel/command-api.ts';
import { maskUrls, readSecretFile, type ServerRequest } from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';
import { keyFileOf } from './key-file.ts';

const REQUEST_TIMEOUT_MS = 120_000;
const DEFAULT_URL = 'http://127.0.0.1:8765';

/** Options of every command that sends requests to a running node. */
export const SERVER_OPTIONS: readonly (readonly [flags: string, summary: string])[] = [
  ['--url <url>', `base address of the node (SVC_URL, default ${DEFAULT_URL})`],
  ['--key-file <file>', 'file that holds the API key (default: the variable SVC_API_KEY, then the key of a login)'],
];

/** Returns a client of a running node. Rejects for a wrong address or a missing key file; only `send` connects. */
export const connectServer = async (
  { url, keyFile }: ServerPlace,
  env: Readonly<Record<string, string | undefined>>,
  random: Random,
): Promise<CommandServer> => {
  const text = url ?? env['SVC_URL'] ?? DEFAULT_URL;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new ServiceError('validation', 'the address of the node is not an http or https URL', {
      hint: `give one like ${DEFAULT_URL} with --url or SVC_URL`,
    });
  }
  const base = text.replace(/\/+$/, '');
  const file = keyFileOf(base, env);
  const variable = env['SVC_API_KEY']?.trim() ?? '';
  const named = keyFile === undefined ? variable : await readSecretFile(keyFile);
  if (named === undefined) throw new ServiceError('lookup', `there is no file ${keyFile}`);
  const key = named === '' ? ((await file?.read()) ?? '') : named;
  return {
    url: base,
    send: (request) => send(base, request.key ?? key, request),
    async keepKey(fresh) {
      if (file === undefined) throw noFolder();
      const path = await file.write(fresh, random);
      return { path, isUsed: variable === '' };
    },
    keptKey: async () => file?.read(),
    forgetKey: async () => file?.remove(),
  };
};

const noFolder = (): ServiceError =>
  new ServiceError('unavailable', 'there is no folder to keep the key in', {
    hint: 'set HOME, or XDG_CONFIG_HOME, to the absolute path of a folder of yours',
  });

/** Sends a request. Without a key it sends no credential, for a node that requires none. */
const send = async (base: string, key: string, { method, path, ...rest }: ServerRequest): Promise<ServerReply> => {
  const headers = new Headers(rest.headers);
  if (key !== '') headers.set('authorization', `Bearer ${key}`);
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(rest.body === undefined ? {} : { body: new Uint8Array(rest.body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(rest.timeoutMs ?? REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    return { status: response.status, header, text, document: parseObject(text) };
  } catch (cause) {
    throw new ServiceError('unavailable', `no answer from ${maskUrls(base)}`, {
      cause,
      hint: 'start the node with "npm start", or name another address with --url or SVC_URL',
    });
  }
};

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
};
