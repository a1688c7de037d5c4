import { expect } from 'chai';
import { createKoaTransport } from '../../../adapters/koa/koa-transport.ts';
import { describeTransport } from '../../contract/transport-contract.ts';
import { serveKoa } from '../../kit/serve-koa.ts';

describeTransport('koa', async () => {
  const transport = createKoaTransport({
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: [],
    corsDevLocalhost: false,
    report: () => {},
  });
  return { server: transport, client: transport };
});

describe('the host of the koa transport', () => {
  it('may be an IPv6 address in brackets, as in a URL', async () => {
    const outcome = await serveKoa([], { host: '[::1]' }).then(
      async ({ url, listener }) => {
        await listener.close(0);
        return url;
      },
      ({ message }: Error) => message,
    );
    // A machine without IPv6 refuses the address itself.
    expect(outcome).to.match(/^http:\/\/\[::1\]:\d+$|^cannot listen on \[::1\]:0 \((EADDRNOTAVAIL|EAFNOSUPPORT)\)$/);
  });
});
