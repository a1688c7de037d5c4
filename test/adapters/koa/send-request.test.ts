import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Resolve } from '../../../adapters/koa/judge-target.ts';
import { sendRequest } from '../../../adapters/koa/send-request.ts';
import { type OutboundRequest, ServiceError } from '../../../ports/ports.ts';

const request = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  headers: {},
  timeoutMs: 5_000,
  maxResponseBytes: 1_000,
  allowPrivate: true,
  ...more,
});

const failure = async (work: Promise<unknown>): Promise<ServiceError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw new Error('expected a ServiceError');
};

describe('an outbound call', () => {
  let server: Server;
  let hits: string[];
  let answer: RequestListener;
  let url: string;
  let port: number;

  beforeEach(async () => {
    hits = [];
    answer = (_request, response) => response.end('ok');
    server = createServer((inbound, response) => {
      hits.push(`${inbound.method} ${inbound.url}`);
      answer(inbound, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    port = (server.address() as AddressInfo).port;
    url = `http://127.0.0.1:${port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const resolveTo =
    (...addresses: readonly string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  it('is sent as given: target, method, headers and body', async () => {
    let seen: unknown;
    answer = (inbound, response) => {
      const chunks: Buffer[] = [];
      inbound.on('data', (chunk) => chunks.push(chunk));
      inbound.on('end', () => {
        seen = [inbound.headers['x-a'], inbound.headers['content-length'], Buffer.concat(chunks).toString()];
        response.writeHead(202, { 'Set-Cookie': ['a=1', 'b=2'] }).end();
      });
    };
    const reply = await sendRequest(
      request(`${url}/a/../%2e%2e//b?c=%20#d`, { method: 'PUT', headers: { 'X-A': '1' }, body: 'é' }),
    );
    expect(hits).to.deep.equal(['PUT /a/../%2e%2e//b?c=%20']);
    expect(seen).to.deep.equal(['1', '2', 'é']);
    expect([reply.status, reply.header('Set-Cookie'), reply.body.length]).to.deep.equal([202, 'a=1', 0]);
    await sendRequest(request(`${url}/é?ü`));
    await sendRequest(request(url));
    expect(hits.slice(1)).to.deep.equal(['GET /%C3%A9?%C3%BC', 'GET /']);
  });

  it('follows no redirect and no proxy variable', async () => {
    answer = (_inbound, response) => response.writeHead(307, { Location: '/elsewhere' }).end();
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      const reply = await sendRequest(request(`${url}/`));
      expect([reply.status, reply.header('location')]).to.deep.equal([307, '/elsewhere']);
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
    expect(hits).to.deep.equal(['GET /']);
  });

  const failures: Readonly<Record<string, RequestListener>> = {
    'a reset': (inbound) => inbound.socket.resetAndDestroy(),
    'a reset in the middle': (inbound, response) => {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('half', () => inbound.socket.destroy());
    },
    'an answer that is too large': (_inbound, response) => response.end('x'.repeat(1_001)),
    'an endless answer': (_inbound, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(1_000)));
        response.once('drain', more);
      };
      more();
    },
    'headers that are too large': (_inbound, response) => response.writeHead(200, { X: 'x'.repeat(40_000) }).end(),
    'another protocol': (inbound) => {
      inbound.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    },
    'what is not HTTP': (inbound) => {
      inbound.socket.end('garbage\r\n\r\n');
    },
  };
  for (const [name, listener] of Object.entries(failures)) {
    it(`reports "unavailable" after ${name}`, async () => {
      answer = listener;
      const error = await failure(sendRequest(request(`${url}/secret-path?token=s3cr3t`)));
      expect(error.code).to.equal('unavailable');
      expect(error.message)
        .to.contain(url)
        .and.not.to.match(/secret|s3cr3t/);
    });
  }

  it('reports "unavailable" when the answer is late or incomplete', async () => {
    answer = () => {};
    expect((await failure(sendRequest(request(url, { timeoutMs: 30 })))).message).to.contain('too long');
    answer = (_inbound, response) => response.writeHead(200).write('a');
    expect((await failure(sendRequest(request(url, { timeoutMs: 30 })))).message).to.contain('too long');
    const never: Resolve = () => new Promise(() => {});
    const stuck = sendRequest(request(`http://a.example:${port}/`, { timeoutMs: 30 }), never);
    expect((await failure(stuck)).message).to.contain('too long');
  });

  it('reports "unavailable" for headers and names that cannot be sent', async () => {
    expect((await failure(sendRequest(request(url, { headers: { X: 'a\r\nb: c' } })))).code).to.equal('unavailable');
    const missing: Resolve = async () => {
      throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    };
    const lost = await failure(sendRequest(request(`http://a.example:${port}/`), missing));
    expect(lost.message).to.contain('ENOTFOUND');
    expect((await failure(sendRequest(request(`http://a.example:${port}/`), resolveTo()))).code).to.equal(
      'unavailable',
    );
    expect(hits).to.deep.equal([]);
  });

  describe('limited to the public Internet', () => {
    const outside = (target: string, resolve?: Resolve) =>
      sendRequest(request(target, { allowPrivate: false }), resolve);

    const loopback = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '0x7f000001',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      'localhost',
      'localhost.',
      'LOCALHOST',
      'x.localhost',
      'metadata.google.internal',
      '169.254.169.254',
      '[fd00:ec2::254]',
      '0.0.0.0',
      '[::]',
    ];
    for (const host of loopback) {
      it(`is not sent to ${host}`, async () => {
        const error = await failure(outside(`https://${host}:${port}/`, resolveTo('127.0.0.1')));
        expect(error.message).to.contain('not a public address');
        expect(hits).to.deep.equal([]);
      });
    }

    it('is not sent over plain HTTP, in other schemes, or with a user name', async () => {
      const targets = [
        'http://example.org/',
        'ftp://example.org/',
        'file:///etc/passwd',
        'gopher://example.org/',
        'https://user@example.org/',
        'https://user:secret@example.org/',
        'https://example.org:secret@127.0.0.1/',
        'nonsense',
        '',
      ];
      for (const target of targets) {
        const error = await failure(outside(target, resolveTo('127.0.0.1')));
        expect(error.code, target).to.equal('unavailable');
        expect(error.message, target).not.to.contain('secret');
      }
      expect(hits).to.deep.equal([]);
    });

    it('is not sent to a name if any of its addresses is private', async () => {
      const leads = [
        ['127.0.0.1'],
        ['8.8.8.8', '127.0.0.1'],
        ['::1'],
        ['fd00::1'],
        ['::ffff:10.0.0.1'],
        ['64:ff9b::a00:1'],
      ];
      for (const addresses of leads) {
        const error = await failure(outside(`https://hook.example:${port}/`, resolveTo(...addresses)));
        expect(error.message, addresses.join()).to.contain('not public');
      }
      expect(hits).to.deep.equal([]);
    });

    it('resolves the addresses again on every call', async () => {
      let asked = 0;
      const resolve: Resolve = async () => {
        asked += 1;
        return [{ address: '127.0.0.1', family: 4 }];
      };
      await failure(outside(`https://hook.example:${port}/`, resolve));
      await failure(outside(`https://hook.example:${port}/`, resolve));
      expect(asked).to.equal(2);
    });
  });

  it('connects to an address that was checked, with the name in the Host header', async () => {
    let host: string | undefined;
    answer = (inbound, response) => {
      host = inbound.headers.host;
      response.end('ok');
    };
    const reply = await sendRequest(request(`http://peer.example:${port}/`), resolveTo('127.0.0.1'));
    expect([reply.status, host]).to.deep.equal([200, `peer.example:${port}`]);
  });
});
