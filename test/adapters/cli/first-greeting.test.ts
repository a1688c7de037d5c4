import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

  it('comes again beside a folder or a link in the place of its mark, whose content stays', async () => {
    const place = new Workplace();
    try {
      writeFileSync(place.path('node.json'), JSON.stringify({ plugins: FEW_PLUGINS }));
      writeFileSync(place.path('mine'), 'mine');
      const start = async (): Promise<string> => {
        const { greeting, end } = await place.start(['--config', 'node.json']);
        await end();
        return greeting;
      };
      mkdirSync(place.path('data/greeting-due/mine'), { recursive: true });
      for (let at = 0; at < 2; at += 1) expect(await start()).to.contain('Admin key  data/admin.key');
      expect(existsSync(place.path('data/greeting-due/mine'))).to.equal(true);
      rmSync(place.path('data/greeting-due'), { recursive: true });
      expect(await start()).to.match(/^Serving .* existing store/);

      symlinkSync('../mine', place.path('data/greeting-due'));
      expect(await start()).to.contain('Admin key  data/admin.key');
      expect(readFileSync(place.path('mine'), 'utf8')).to.equal('mine');
      expect(await start()).to.match(/^Serving .* existing store/);
    } finally {
      await place.dispose();
    }
  });
});
