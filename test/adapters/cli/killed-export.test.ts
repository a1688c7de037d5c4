import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { writeExport } from '../../../adapters/cli/export-files.ts';
import { rejection } from '../../kit/rejection.ts';
import { runScript } from '../../kit/run-script.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const MODULE = new URL('../../../adapters/cli/export-files.js', import.meta.url).href;

/** Writes half an export in a process of its own, and kills that process. */
const killExport = async (out: string): Promise<void> => {
  const { code } = await runScript(`
    import { writeExport } from ${JSON.stringify(MODULE)};
    const work = async (write) => {
      await write('half of it\\n');
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => setInterval(() => {}, 1_000));
    };
    await writeExport({ out: ${JSON.stringify(out)}, plain: false }, work, {}, process);
  `);
  expect(code).to.equal(null);
};

const exportTo = (out: string): Promise<void> => {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const clear = { seal: undefined, open: () => expect.fail('nothing is opened') };
  return writeExport({ out, plain: false }, (write) => write('all of it\n'), clear, streams);
};

describe('an export to a file', () => {
  it('that is killed leaves no half file under its name, and the next one completes it', () =>
    inTemporaryFolder(async (folder) => {
      const out = join(folder, 'memory.ndjson');
      await killExport(out);
      expect(readdirSync(folder)).to.not.include('memory.ndjson');
      await exportTo(out);
      expect(readFileSync(out, 'utf8')).to.equal('all of it\n');
      expect(readdirSync(folder)).to.deep.equal(['memory.ndjson']);
    }));

  it('never replaces a file, also one that comes while it is written', () =>
    inTemporaryFolder(async (folder) => {
      const out = join(folder, 'memory.ndjson');
      const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
      const clear = { seal: undefined, open: () => expect.fail('nothing is opened') };
      const late = writeExport({ out, plain: false }, async () => writeFileSync(out, 'mine'), clear, streams);
      expect(await rejection(late)).to.include({ code: 'conflict', message: `${out} exists already` });
      expect(await rejection(exportTo(out))).to.include({ code: 'conflict' });
      expect(readFileSync(out, 'utf8')).to.equal('mine');
      expect(readdirSync(folder)).to.deep.equal(['memory.ndjson']);
    }));
});
