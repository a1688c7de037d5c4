import { createKoaTransport } from '../../../adapters/koa/koa-transport.ts';
import { describeTransport } from '../../contract/transport-contract.ts';

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
