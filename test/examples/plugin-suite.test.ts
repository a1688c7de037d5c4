import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TESTING = pathToFileURL(join(ROOT, 'dist/test/kit/testing.js')).href;

describe('the test suite for plugin authors', () => {
  it('sets its own time limits, for any limits of the runner', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'plugin.test.mjs');
      writeFileSync(
        file,
        `import { describePlugin } from '${TESTING}';
         describePlugin({ plugin: Object.freeze({ name: 'small', version: '1.0.0', kernelApi: 1, setup() {} }), node: { plugins: ['keys'] } });`,
      );
      const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
      const run = spawnSync(process.execPath, [mocha, '--no-config', '--timeout', '1', file], {
        cwd: ROOT,
        encoding: 'utf8',
      });

      expect(run.stdout)
        .to.match(/5 passing/)
        .and.not.match(/failing|Timeout/);
      expect(run.status).to.equal(0);
    }));
});
