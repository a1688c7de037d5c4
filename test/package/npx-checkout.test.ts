import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const runFile = promisify(execFile);

/** npm links the programs of a checkout at the first `npx`, and leaves out a program whose file is missing then. */
describe('npx in a checkout that was never built', function () {
  this.timeout(120_000);

  it('builds it first, and so finds the program', () =>
    inTemporaryFolder(async (place) => {
      const folder = join(place, 'checkout');
      const { name, version, bin, scripts } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
      mkdirSync(join(folder, 'scripts'), { recursive: true });
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, bin, scripts }));
      writeFileSync(join(folder, 'scripts/build.mjs'), BUILD);

      const env = { ...process.env, npm_config_cache: join(place, 'cache'), npm_config_update_notifier: 'false' };
      const { stdout } = await runFile('npx', ['--no', '--offline', '--', 'svc'], { cwd: folder, env });
      expect(stdout.trim()).to.equal('built with --if-needed --if-possible');
    }));

  it('may lack the compiler, and is left as it is', () =>
    inTemporaryFolder(async (place) => {
      const filter = (path: string) => !path.endsWith('.ts');
      for (const name of ['scripts', 'config']) {
        cpSync(join(projectRoot(), name), join(place, name), { recursive: true, filter });
      }
      const { stdout, stderr } = await runFile(process.execPath, [join(place, 'scripts/build.mjs'), '--if-possible']);
      expect(stdout + stderr).to.equal('');
    }));
});

/** A build that writes a program which says how it was built. */
const BUILD = `
import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/config', { recursive: true });
const said = JSON.stringify('built with ' + process.argv.slice(2).join(' '));
writeFileSync('dist/config/main.js', '#!/usr/bin/env node\\nconsole.log(' + said + ')', { mode: 0o755 });
`;
