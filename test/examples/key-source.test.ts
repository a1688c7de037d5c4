import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { KeySourceAdapter } from '../../ports/ports.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { describeKeySource } from '../contract/key-source-contract.ts';

const EXAMPLE = join(projectRoot(), 'examples/key-source/acme-keys.mjs');
const { acmeKeys } = (await import(EXAMPLE)) as {
  readonly acmeKeys: KeySourceAdapter<{ readonly url: string; readonly timeoutMs: number }>;
};

const PARTS = { clock: undefined as never, fraction: () => 0, report: () => {} };

describeKeySource('the example of a key service', async () => {
  const keys = [randomBytes(32), randomBytes(32)];
  let served = keys;
  const server = createServer((_request, reply) => {
    reply.end(JSON.stringify(served.map((key) => key.toString('base64'))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return {
    source: await acmeKeys.create({ url, timeoutMs: 60_000 }, PARTS),
    keys,
    rotate: async () => {
      const present = randomBytes(32);
      served = [present, ...keys];
      return present;
    },
    lose: async () => {
      served = [];
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
});
