import { describeTransport } from '../contract/transport-contract.ts';
import { createLoopbackNetwork } from './loopback-network.ts';

describeTransport('loopback network', async () => {
  const network = createLoopbackNetwork();
  return { server: network.transport('http://server.test'), client: network.transport('http://client.test') };
});
