import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type PackedPackage, packedPackage } from './packed-package.ts';
import { startProgram } from './started-program.ts';

const runFile = promisify(execFile);
const KEY = 'new-plugin-0123456789abcdef0123456789abcdef';

describe('a newly created plugin, beside the packed package', function () {
  this.timeout(300_000);
  let packed: PackedPackage;
  let env: Record<string, string>;
  before(async () => {
    packed = await packedPackage();
    mkdirSync(join(packed.folder, 'begun'), { recursive: true });
    env = {
      PATH: `${join(packed.folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: process.env['HOME'] ?? '',
      npm_config_update_notifier: 'false',
    };
  });

  for (const language of ['JavaScript', 'TypeScript']) {
    it(`passes its own tests and is loaded by a node, in ${language}`, async () => {
      const name = `acme-${language.toLowerCase()}`;
      const folder = join(packed.folder, 'begun');
      const flags = language === 'TypeScript' ? ['--typescript'] : [];
      await runFile('svc', ['new', 'plugin', name, ...flags], { cwd: folder, env });
      const { stdout } = await runFile('npm', ['test'], { cwd: join(folder, name), env }).catch(
        (error: { stdout?: string; stderr?: string }) => ({ stdout: `${error.stdout}${error.stderr}` }),
      );
      expect(/\d+ passing/.test(stdout) && !/failing|pending/.test(stdout), stdout).to.equal(true);

      const started = await startProgram(['npm', 'start', '--silent'], {
        folder: join(folder, name),
        env: { ...env, SVC_PORT: '0', SVC_BOOTSTRAP_KEY: KEY },
      });
      try {
        const reply = await fetch(`${started.url}/v1/${name}/recent`, { headers: { Authorization: `Bearer ${KEY}` } });
        expect([reply.status, await reply.json()]).to.deep.equal([200, { ids: [] }]);
      } finally {
        await started.end('SIGINT');
      }
    });
  }
});
