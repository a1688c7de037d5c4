import { expect } from 'chai';
import { createPinoLogger } from '../../../adapters/log/pino-logger.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import { type KoaNode, serveKoa } from '../../kit/serve-koa.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Keys whose form a node can tell from an identifier. */
const KEYS: Readonly<Record<string, string>> = {
  hexadecimal: '3f9a'.repeat(16),
  base64url: 'Zk3_-Qx9'.repeat(6).slice(0, 43),
  base64: `${'aB3/+9Zq'.repeat(5)}xY7=`,
  'with dots': 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZ2VudDphIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
};
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const ORIGIN = 'http://page.example';
const VALUED = [
  'Accept',
  'Access-Control-Request-Headers',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Origin',
  'Svc-Session',
  'Traceparent',
  'X-Request-Id',
  'X-Svc-Capability',
];
const ROUTES = [
  ['GET', '/v1/facts?limit=x'],
  ['POST', '/v1/facts'],
  ['POST', '/v1/recall'],
  ['POST', '/v1/mcp'],
  ['OPTIONS', '/v1/facts'],
  ['GET', '/v1/nowhere'],
] as const;

describe('A caller puts a key into a header by mistake (I19)', () => {
  let node: TestNode;
  let koa: KoaNode;
  let key: string;
  before(async () => {
    node = await startTestNode({ node: TRUSTS_TEST });
    key = await node.addKey();
    koa = await serveKoa([], { corsAllowedOrigins: [ORIGIN] });
  });
  after(async () => {
    await koa?.listener.close(0);
    await node?.stop();
  });

  const replyTo = async (method: string, target: string, headers: Record<string, string>): Promise<string> => {
    const sent = { 'X-Forwarded-For': nextClient(), ...headers };
    const body = method === 'POST' ? { body: { nonsense: 1 } } : {};
    const { status, text, headers: given } = await node.request(method, target, { key, headers: sent, ...body });
    expect(status, text).to.be.at.least(400);
    return `${text} ${JSON.stringify(given)}`;
  };

  const preflight = async (secret: string): Promise<string> => {
    const headers = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': `authorization, ${secret}`,
    };
    const reply = await fetch(`${koa.url}/v1/facts`, { method: 'OPTIONS', headers });
    const allowed = reply.headers.get('access-control-allow-headers') ?? '';
    expect(allowed).to.include('authorization');
    return allowed;
  };

  const logLine = (secret: string): string => {
    const lines: string[] = [];
    const log = createPinoLogger({ level: 'info', write: (line) => void lines.push(line) });
    log.child({ part: secret }).warn(`of ${secret}`, { text: secret, inner: { list: [`x ${secret}`] }, error: secret });
    return lines.join('');
  };

  /** Each place through which a header or a field could come back. */
  const PLACES: Readonly<Record<string, (secret: string) => Promise<readonly string[]>>> = {
    'the name of a header': async (secret) =>
      Promise.all(ROUTES.map(([method, target]) => replyTo(method, target, { [secret]: '1' }))),
    'the value of a header': async (secret) =>
      Promise.all(
        ROUTES.flatMap(([method, target]) => VALUED.map((name) => replyTo(method, target, { [name]: secret }))),
      ),
    'the list of a preflight': async (secret) => [await preflight(secret)],
    'a field of a log line': async (secret) => [logLine(secret)],
  };

  for (const [place, put] of Object.entries(PLACES)) {
    it(`and neither reply nor log repeats it: ${place}`, async () => {
      const leaks: string[] = [];
      for (const [form, secret] of Object.entries(KEYS)) {
        const said = await put(secret);
        leaks.push(...said.filter((text) => text.includes(secret)).map((text) => `${form}: ${text}`));
      }
      expect(leaks.slice(0, 5), `${leaks.length} leaks`).to.deep.equal([]);
    });
  }

  it('and request ids, trace ids and public keys are not masked', async () => {
    for (const id of ['01J9Z0Q7E4', TRACE_ID, '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11']) {
      expect(
        (await node.request('GET', '/v1/facts', { key, headers: { 'X-Request-Id': id } })).headers['x-request-id'],
      ).to.equal(id);
    }
    const long = 'x'.repeat(200);
    const { headers } = await node.request('GET', '/v1/facts', { key, headers: { 'X-Request-Id': long } });
    expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    const lines: string[] = [];
    const publicKey = KEYS['base64url'];
    createPinoLogger({ level: 'info', write: (line) => void lines.push(line) }).info('a key', {
      publicKey,
      trace_id: TRACE_ID,
    });
    expect(lines.join('')).to.include(publicKey).and.include(TRACE_ID);
  });
});
