import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

/** Shorter than the 5 s after which servers close an unused connection. */
const IDLE_MS = 4_000;
/** The connections of this process, by protocol. */
const agents = new Map<string, Agent>();
/** The code of the error for a redirection. */
export const REDIRECTED = 'REDIRECTED';
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface HttpQuestion {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/**
 * Sends one request and reads its reply. Rejects for a redirection, so that no key goes elsewhere. Avoids `fetch`,
 * whose first use takes longer than the rest of a command's start.
 */
export const exchangeHttp = async (
  url: string,
  { method, headers, body, timeoutMs }: HttpQuestion,
): Promise<HttpReply> => {
  const { protocol, username, password } = new URL(url);
  if (username !== '' || password !== '') throw new Error('the address holds a name or a password');
  const client = protocol === 'https:' ? await import('node:https') : await import('node:http');
  const agent = agents.get(protocol) ?? new client.Agent({ keepAlive: true, timeout: IDLE_MS });
  agents.set(protocol, agent);
  const sent = client.request(url, {
    method,
    agent,
    headers: { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'node', ...headers },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const response = await responseOf(sent, body);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const status = response.statusCode ?? 0;
  if (REDIRECTS.has(status)) throw Object.assign(new Error('the address redirects'), { code: REDIRECTED });
  return { status, headers: response.headers, text: await textOf(Buffer.concat(chunks), response) };
};

const responseOf = (sent: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve).on('error', reject).end(body);
  });

const textOf = async (bytes: Buffer, { headers }: IncomingMessage): Promise<string> => {
  if (headers['content-encoding'] !== 'gzip') return new TextDecoder().decode(bytes);
  const { gunzipSync } = await import('node:zlib');
  return new TextDecoder().decode(gunzipSync(bytes));
};
