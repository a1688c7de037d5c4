import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { exchangeHttp } from '../../../adapters/cli/exchange-http.ts';
import { rejection } from '../../kit/rejection.ts';

describe('the HTTP request that a command sends to its node', () => {
  const sockets = new Set<Socket>();
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let url: string;
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    answer(request, response);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => sockets.clear());
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = (body?: string, timeoutMs = 60_000) =>
    exchangeHttp(`${url}/x`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer k' },
      body: body === undefined ? undefined : Buffer.from(body),
      timeoutMs,
    });

  it('sends its body and reads a compressed reply', async () => {
    answer = async (request, response) => {
      const parts: string[] = [];
      for await (const part of request) parts.push(String(part));
      expect(request.headers).to.include({ authorization: 'Bearer k', 'content-length': '3' });
      response.writeHead(201, { 'content-encoding': 'gzip', 'x-part': 'Yes' }).end(gzipSync(`\uFEFF${parts.join('')}`));
    };
    const { status, text, headers } = await send('wör'.slice(0, 2));
    expect([status, text, headers['x-part']]).to.deep.equal([201, 'wö', 'Yes']);
  });

  it('uses one connection for requests that follow each other', async () => {
    answer = (_, response) => response.end('{}');
    for (let at = 0; at < 3; at += 1) await send();
    expect(sockets.size).to.equal(1);
  });

  it('follows no redirection, and sends nothing to an address with a password', async () => {
    answer = (_, response) => response.writeHead(307, { location: `${url}/y` }).end();
    expect((await rejection(send())).message).to.contain('redirects');
    sockets.clear();
    url = url.replace('//', '//a:b@');
    expect((await rejection(send())).message).to.contain('password');
    expect(sockets.size).to.equal(0);
    url = url.replace('a:b@', '');
  });

  it('rejects a reply that is late or incomplete', async () => {
    answer = (_, response) => void response.write('{');
    await rejection(send(undefined, 20));
    answer = (_, response) =>
      void response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy());
    await rejection(send());
  });
});
