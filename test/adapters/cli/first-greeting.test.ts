import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { FEW_PLUGINS } from '../../kit/few-plugins.ts';
import { curlLines } from './pasted-lines.ts';
import { Workplace } from './spawned-program.ts';

describe('a first start whose port is in use', () => {
  for (const workers of ['1', '2']) {
    it(`leaves the greeting to the next start that serves, and to no other, with --workers ${workers}`, async () => {
      const place = new Workplace();
      try {
        writeFileSync(place.path('node.json'), JSON.stringify({ plugins: FEW_PLUGINS }));
        const args = ['--config', 'node.json', '--workers', workers];
        const other = createServer().listen(0, '127.0.0.1');
        await new Promise((resolve) => other.once('listening', resolve));
        const { port } = other.address() as AddressInfo;
        const failed = await place.runApart(['start', ...args, '--port', String(port)]);
        other.close();
        expect([failed.exitCode, failed.stdout]).to.deep.equal([1, '']);
        expect(existsSync(place.path('data/admin.key'))).to.equal(true);

        const node = await place.start(args);
        expect(node.greeting).to.contain('Admin key  data/admin.key (only you may read it)\n');
        expect(curlLines(node.greeting)).to.have.length.above(1);
        await node.end();
        const later = await place.start(args);
        expect(later.greeting).to.match(/^Serving .* existing store .* the first key is in data\/admin\.key/);
        await later.end();
      } finally {
        await place.dispose();
      }
    });
  }
});
