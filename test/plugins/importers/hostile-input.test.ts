import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { createSystemRandom } from '../../../adapters/random/system-random.ts';
import { stateFileAt } from '../../../plugins/importers/import-state.ts';
import { runInProcess } from '../../adapters/cli/run-in-process.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const tryImport = (format: string, path: string, ...more: readonly string[]) =>
  runInProcess(['import-from', format, path, '--dry-run', ...more]);

const MEMORY = '{"id":"m","memory":"kept","user_id":"u"}';

/** An archive whose directory names one packed file several times. */
const overlappingZip = (content: Buffer, times: number): Buffer => {
  const whole = Buffer.from(zipSync({ 'conversations.json': content }, { level: 9 }));
  const start = whole.indexOf(Buffer.from('PK\u0001\u0002'));
  const end = whole.indexOf(Buffer.from('PK\u0005\u0006'));
  const entries = Array.from({ length: times }, () => whole.subarray(start, end));
  const trailer = Buffer.from(whole.subarray(end));
  trailer.writeUInt16LE(times, 8);
  trailer.writeUInt16LE(times, 10);
  trailer.writeUInt32LE((end - start) * times, 12);
  return Buffer.concat([whole.subarray(0, start), ...entries, trailer]);
};

describe('a malicious input', () => {
  for (const [what, text, complaint] of [
    ['is truncated', `[${MEMORY},{"id":"x","mem`, 'ends in the middle of a value'],
    ['is no JSON', `[${MEMORY} x`, 'is not valid JSON'],
    ['has mismatched brackets', `[${MEMORY}}`, 'is not valid JSON'],
    ['has two values in a row', `[${MEMORY} ${MEMORY}]`, 'is not valid JSON'],
    ['is nested too deep', `[${'['.repeat(200_000)}`, 'is nested deeper than 100 levels'],
    ['is empty', '', 'looks like an export'],
    ['is not an export', '{"hello":1}', 'looks like an export'],
  ] as const) {
    it(`is refused with a reason when it ${what}`, async () => {
      await inTemporaryFolder(async (folder) => {
        const path = join(folder, 'x.json');
        await writeFile(path, text);
        const { exitCode, stderr } = await tryImport('mem0', path);
        expect(exitCode, stderr).to.equal(1);
        expect(stderr).to.contain(complaint).and.not.to.contain('    at ');
      });
    });
  }

  it('keeps front matter that is nested too deeply as text', async () => {
    await inTemporaryFolder(async (folder) => {
      const deep = [
        '- '.repeat(20_000),
        `a: ${'['.repeat(40_000)}`,
        Array.from({ length: 280 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      ];
      for (const [at, yaml] of deep.entries()) {
        await writeFile(join(folder, `deep-${at}.md`), `---\n${yaml}\n---\nsaid\n`);
      }
      await writeFile(join(folder, 'good.md'), '---\ntitle: Good\ntags: [a, b]\n---\n- [idea] kept\n');
      const { exitCode, stdout, stderr } = await tryImport('basic-memory', folder);
      expect(exitCode, stderr).to.equal(0);
      expect(stdout)
        .to.contain('  observation: 1\n')
        .and.to.match(/remark, front matter that is nested deeper than 200 levels .*: 3\n/);
    });
  });

  it('cannot make the import write its progress into another file', async () => {
    await inTemporaryFolder(async (folder) => {
      const target = join(folder, 'precious');
      await writeFile(target, 'precious');
      const path = join(folder, 'state.json');
      for (const name of ['state.json', 'state.json.new']) await symlink(target, join(folder, name));
      const state = stateFileAt(path, createSystemRandom());
      await state.write({ digest: 'd', position: 1, refused: 0, isDone: false });
      expect(await readFile(target, 'utf8')).to.equal('precious');
      expect(await state.read('d')).to.include({ position: 1 });
    });
  });

  it('cannot contain an item of more than 2 million values', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'x.json');
      await writeFile(path, `[{"id":"m","memory":[${'[],'.repeat(1_000_000)}[]]}]`);
      const { exitCode, stderr } = await tryImport('mem0', path);
      expect([exitCode, stderr.includes('more than 2000000 values')]).to.deep.equal([1, true]);
    });
  });

  it('cannot fill the memory with members beside an endless list', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'x.json');
      const pair = `"a":[${'0,'.repeat(99_999)}0],"memories":[],`;
      await writeFile(path, `{${pair.repeat(21)}"b":0}`);
      const { exitCode, stderr } = await tryImport('mem0', path);
      expect([exitCode, stderr.includes('more than 2000000 values')]).to.deep.equal([1, true]);
    });
  });

  it('is read in time that grows with its size, even if a line has many brackets', async () => {
    await inTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'n.md'), `${'[['.repeat(500_000)}a]]\n`);
      const { exitCode, stdout } = await tryImport('basic-memory', folder);
      expect([exitCode, stdout.includes('relation: 499')]).to.deep.equal([0, true]);
    });
  });

  it('is read in time that grows with its size, even if its front matter has very many names', async () => {
    await inTemporaryFolder(async (folder) => {
      const names = Array.from({ length: 16_000 }, (_, at) => at.toString(36).padStart(3, 'a')).join(',');
      const notes = Array.from({ length: 40 }, (_, at) => join(folder, `n-${at}.md`));
      for (const note of notes) await writeFile(note, `---\na: {${names}}\n---\nsaid\n`);
      const { exitCode, stdout } = await tryImport('basic-memory', folder);
      expect([exitCode, stdout.includes('160 items read')], stdout).to.deep.equal([0, true]);
    });
  });

  it('cannot hide its size in many zip entries that share their compressed bytes', async () => {
    await inTemporaryFolder(async (folder) => {
      const zip = join(folder, 'overlap.zip');
      await writeFile(zip, overlappingZip(Buffer.alloc(15 * 1024 * 1024, 32), 20));
      const { exitCode, stderr } = await tryImport('chatgpt', zip);
      expect([exitCode, stderr.includes('unpacks to far more')]).to.deep.equal([1, true]);
    });
  });

  it('cannot contain an item larger than 64 MiB', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'x.json');
      await writeFile(path, `[{"id":"m","memory":"${'a'.repeat(66 * 1024 * 1024)}"}]`);
      const { exitCode, stderr } = await tryImport('mem0', path);
      expect([exitCode, stderr.includes('more than 64 MiB')]).to.deep.equal([1, true]);
    });
  });

  it('is read item by item: damaged items are reported, and the others are accepted', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'memory.jsonl');
      const long = `{"type":"entity","name":"${'x'.repeat(9 * 1024 * 1024)}"}`;
      const good = '{"type":"entity","name":"a","entityType":"t","observations":["o"]}';
      const odd = ['null', '[]', '7', '"text"', '{"type":"entity"}', '{"__proto__":{"type":"entity","name":"p"}}'];
      await writeFile(path, [long, ...odd, good, Buffer.from([0xff]).toString('latin1')].join('\n'), 'latin1');
      const { exitCode, stdout, stderr } = await tryImport('mcp-memory', path);
      expect([exitCode, stdout.split('\n')[0]]).to.deep.equal([
        2,
        '2 facts would be sent, 8 refused; nothing was sent',
      ]);
      expect(stderr).to.contain('line 1: a line that is too long or not UTF-8');
    });
  });

  it('cannot print control characters or an unlimited number of refusals', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'memory.jsonl');
      const list = join(folder, 'refused.ndjson');
      await writeFile(path, 'broken\n'.repeat(80));
      const { stderr } = await tryImport('mcp-memory', path, '--refused', list);
      expect(stderr.trim().split('\n')).to.have.length(51);
      expect(stderr).to.contain('further refused: 30');
      const evil = join(folder, 'a\u001b[31mb');
      await mkdir(evil);
      await writeFile(join(evil, '\u001b[2Jx.jsonl'), 'broken\n');
      expect((await tryImport('mcp-memory', evil)).stderr).not.to.contain('\u001b');
    });
  });

  it('cannot refer to files outside its archive or folder', async () => {
    await inTemporaryFolder(async (folder) => {
      const zip = join(folder, 'evil.zip');
      const conversations = Buffer.from('[{"id":"c","mapping":{}}]');
      await writeFile(zip, zipSync({ '../conversations.json': conversations, '/conversations.json': conversations }));
      const { exitCode, stderr } = await tryImport('chatgpt', zip);
      expect([exitCode, stderr.includes('looks like an export')]).to.deep.equal([1, true]);

      const notes = join(folder, 'notes');
      await mkdir(notes);
      await writeFile(join(folder, 'secret.md'), 'secret');
      await symlink(join(folder, 'secret.md'), join(notes, 'link.md'));
      await symlink(folder, join(notes, 'up'));
      expect((await tryImport('basic-memory', notes)).stderr).to.contain('looks like an export');
    });
  });

  it('cannot unpack to far more than its compressed size', async () => {
    await inTemporaryFolder(async (folder) => {
      const zip = join(folder, 'bomb.zip');
      const blank = Buffer.concat([Buffer.from('['), Buffer.alloc(40 * 1024 * 1024, 32), Buffer.from(']')]);
      await writeFile(zip, zipSync({ 'conversations.json': blank }, { level: 9 }));
      const { exitCode, stderr } = await tryImport('chatgpt', zip);
      expect([exitCode, stderr.includes('unpacks to far more')]).to.deep.equal([1, true]);
    });
  });

  it('is refused if its archive is truncated, encrypted or inconsistent', async () => {
    await inTemporaryFolder(async (folder) => {
      const whole = Buffer.from(zipSync({ 'conversations.json': Buffer.from(`[${' '.repeat(5_000)}]`) }));
      const directory = whole.indexOf(Buffer.from('PK\u0001\u0002'));
      const encrypted = Buffer.from(whole);
      encrypted.writeUInt16LE(1, directory + 8);
      const shorter = Buffer.from(whole);
      shorter.writeUInt32LE(10, directory + 24);
      const elsewhere = Buffer.from(whole);
      elsewhere.writeUInt32LE(4, directory + 42);
      for (const bytes of [whole.subarray(0, -30), encrypted, shorter, elsewhere]) {
        const zip = join(folder, 'x.zip');
        await writeFile(zip, bytes);
        const { exitCode, stderr } = await tryImport('chatgpt', zip);
        expect(exitCode, stderr).to.equal(1);
        expect(stderr).to.contain('the zip archive cannot be read');
      }
    });
  });

  it('has each node of a conversation read once, even if its tree has a cycle', async () => {
    await inTemporaryFolder(async (folder) => {
      const node = (id: string, parent: string, children: readonly string[]) => ({
        id,
        parent,
        children,
        message: { id, author: { role: 'user' }, content: { content_type: 'text', parts: [id] } },
      });
      const mapping = { a: node('a', 'b', ['b', 'b', 'nowhere']), b: node('b', 'a', ['a']) };
      const path = join(folder, 'conversations.json');
      await writeFile(path, JSON.stringify([{ id: 'ring', mapping }]));
      expect((await tryImport('chatgpt', path)).stdout).to.match(/^2 facts would be sent, 0 refused/);
    });
  });
});
