import { spawnSync } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const EXAMPLE = 'acme-slow-store';

/** The test file of a store author, outside the package. */
const SUITE = `
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFactStore } from 'fact-memory-node/testing';
import { acmeSlowStore } from '${EXAMPLE}';

const clock = { nowMs: Date.now, monotonicMs: () => performance.now(), schedule: () => () => {} };
const parts = { clock, fraction: Math.random, report: () => {} };

describeFactStore('acme', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'acme-'));
  const opened = [];
  const open = async () => {
    opened.push(await acmeSlowStore.create({ path: join(folder, 'facts.db'), slowMs: 0 }, parts));
    return opened.at(-1);
  };
  return {
    store: await open(),
    another: open,
    stop: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
`;

describe('the test suite for store authors', () => {
  it('passes outside the package, for a store that wraps the published SQLite adapter', () =>
    inTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'node_modules'));
      await symlink(ROOT, join(folder, 'node_modules/fact-memory-node'));
      await cp(join(ROOT, 'examples/store-adapter'), join(folder, 'node_modules', EXAMPLE), { recursive: true });
      await writeFile(join(folder, 'store.test.mjs'), SUITE);
      const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
      const args = [mocha, '--no-config', '--timeout', '60000', 'store.test.mjs'];
      const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      expect(run.stdout)
        .to.match(/\d+ passing/)
        .and.not.match(/failing/);
      expect(run.status, run.stderr).to.equal(0);
    }));
});
