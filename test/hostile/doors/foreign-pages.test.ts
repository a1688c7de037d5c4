import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { createNode, type Node } from '../../../config/create-node.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape, and each test checks the members that it reads
  readonly body: any;
}

type Ask = (headers: Readonly<Record<string, string>>, target?: string, method?: string) => Promise<Answer>;

/** Starts a node on its own port; `ask` sends the headers unchanged, instead of those that a client would choose. */
const withNode = (env: Readonly<Record<string, string>>, work: (ask: Ask) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const node: Node = await createNode({
      env: { SVC_PORT: '0', SVC_DB_PATH: join(folder, 'svc.db'), SVC_AUTH_REQUIRED: 'false', ...env },
      adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
      inspectReplies: checkReplies,
    });
    try {
      const { port } = new URL((await node.start()).url);
      await work((headers, path = '/v1/facts', method = 'GET') => send({ port, path, method, headers }));
    } finally {
      await node.stop();
    }
  });

const send = (options: {
  readonly port: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outbound = httpRequest({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
      });
    });
    outbound.on('error', reject);
    outbound.end();
  });

const LOCAL = { Host: 'localhost:8765' };

describe('A web page makes its own host name resolve to a node without keys (DNS rebinding) (I14)', () => {
  it('is refused with each Host that is neither a loopback name nor the name in SVC_NODE_URL', () =>
    withNode({ SVC_NODE_URL: 'https://memory.example' }, async (ask) => {
      const foreign = [
        'evil.example',
        'evil.example:8765',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'evil-localhost',
        'memory.example.evil.example',
        '192.168.1.7:8765',
        '10.0.0.1',
        '[2001:db8::1]:8765',
        '0.0.0.0:8765',
        '2130706433',
        'user@localhost',
        'localhost/../evil',
        'localhost:8765:1',
      ];
      for (const host of foreign) {
        const answer = await ask({ Host: host });
        expect([answer.status, answer.body.code], host).to.deep.equal([403, 'authorization']);
        expect(JSON.stringify(answer.body), host).to.include('SVC_NODE_URL').and.not.include('evil');
      }
    }));

  it('is accepted with the names of the node as Host, on any port, in any case', () =>
    withNode({ SVC_NODE_URL: 'https://memory.example' }, async (ask) => {
      const own = [
        'localhost',
        'LOCALHOST:1',
        'localhost.:80',
        'memory.localhost:8765',
        '127.0.0.1:9000',
        '127.8.8.8',
        '[::1]:8765',
        '[::ffff:127.0.0.1]',
        'memory.example',
        'Memory.Example:443',
      ];
      for (const host of own) expect((await ask({ Host: host })).status, host).to.equal(200);
    }));

  it('gets the same refusal on every path, existing or not', () =>
    withNode({}, async (ask) => {
      const targets = [
        '/v1/me',
        '/v1/facts/x',
        '/v1/nothing',
        '/nothing',
        '/.well-known/svc',
        '//healthz',
        '/healthz/',
      ];
      for (const target of targets) {
        expect((await ask({ Host: 'evil.example' }, target)).status, target).to.equal(403);
        for (const method of ['POST', 'DELETE', 'OPTIONS']) {
          expect((await ask({ Host: 'evil.example' }, target, method)).status, `${method} ${target}`).to.equal(403);
        }
      }
    }));

  it('may read the health of the node, as any supervisor may', () =>
    withNode({}, async (ask) => {
      const answer = await ask({ Host: 'node-7.cluster:8765', Origin: 'https://evil.example' }, '/healthz');
      expect(answer).to.deep.equal({ status: 200, body: { status: 'ok' } });
    }));
});

describe('A web page sends requests to a node without keys, and cannot read the answers (I14)', () => {
  const refusedFor = async (ask: Ask, origins: readonly string[]): Promise<void> => {
    for (const origin of origins) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await ask({ ...LOCAL, Origin: origin }, '/v1/facts', method);
        expect([answer.status, answer.body.code], `${method} of ${origin}`).to.deep.equal([403, 'authorization']);
      }
    }
  };

  it('is refused with each Origin other than the node itself, including null', () =>
    withNode({ SVC_NODE_URL: 'http://localhost:8765' }, (ask) =>
      refusedFor(ask, [
        'null',
        'https://evil.example',
        'http://localhost:3000',
        'http://localhost',
        'http://127.0.0.1:8765',
        'http://localhost:8765.evil.example',
        'http://localhost:8765/',
        'file://',
        'app://obsidian.md',
        '',
      ]),
    ));

  it('is refused for a local page too, unless SVC_CORS_DEV_LOCALHOST allows it', () =>
    withNode({ SVC_CORS_DEV_LOCALHOST: '1' }, async (ask) => {
      expect((await ask({ ...LOCAL, Origin: 'http://localhost:3000' })).status).to.equal(200);
      await refusedFor(ask, ['null', 'https://evil.example']);
    }));

  it('is accepted as a page of the node itself, under each of its addresses', () =>
    withNode({ SVC_NODE_URL: 'https://memory.example' }, async (ask) => {
      const pages = [
        ['localhost:8765', 'http://localhost:8765'],
        ['127.0.0.1:9000', 'http://127.0.0.1:9000'],
        ['memory.example', 'https://memory.example'],
        ['127.0.0.1:8765', 'https://memory.example'],
      ] as const;
      for (const [Host, Origin] of pages) expect((await ask({ Host, Origin })).status, Origin).to.equal(200);
    }));

  it('is accepted if SVC_CORS_ALLOWED_ORIGINS names it, with any scheme', () =>
    withNode({ SVC_CORS_ALLOWED_ORIGINS: 'app://obsidian.md,https://App.Example:443' }, async (ask) => {
      for (const Origin of ['app://obsidian.md', 'https://app.example']) {
        expect((await ask({ ...LOCAL, Origin })).status, Origin).to.equal(200);
      }
      await refusedFor(ask, ['app://obsidian.md.evil', 'https://app.example:8443', 'null']);
    }));
});

describe('A node with keys (I14)', () => {
  it('accepts any Host, because no web page has a key', () =>
    withNode({ SVC_AUTH_REQUIRED: 'true' }, async (ask) => {
      const answer = await ask({ Host: 'any.example', Origin: 'https://other.example' });
      expect([answer.status, answer.body.code]).to.deep.equal([401, 'authentication']);
    }));
});
