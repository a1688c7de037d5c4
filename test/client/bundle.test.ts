import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { bundleClient } from './bundle.ts';

const MAX_BYTES = 15 * 1024;
const runFile = promisify(execFile);

describe('the client as a browser module', () => {
  it('is small, and has no imports', async () => {
    const { code, imports } = await bundleClient();
    expect(imports).to.deep.equal([]);
    expect(gzipSync(code).length).to.be.above(1_000).and.below(MAX_BYTES);
  });

  it('uses nothing of Node.js but its environment variables, which are optional', async () => {
    const code = Buffer.from((await bundleClient()).code).toString();
    expect(code).not.to.match(/\brequire\(|\bBuffer\b|node:/);
    const { FactClient } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
    expect(() => new FactClient({ url: 'http://127.0.0.1:8765' })).not.to.throw();
  });

  it('compiles with web types only', async function () {
    this.timeout(120_000);
    const compiler = join(projectRoot(), 'node_modules/typescript/bin/tsc');
    const { stdout } = await runFile(process.execPath, [compiler, '-p', join(projectRoot(), 'test/client/platform')]);
    expect(stdout).to.equal('');
  });
});
