import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCommandKeys } from '../../../adapters/keys/command-keys.ts';
import { createFileKeys } from '../../../adapters/keys/file-keys.ts';
import type { KeySource } from '../../../ports/ports.ts';
import { describeKeySource, type KeySourceSubject } from '../../contract/key-source-contract.ts';
import { rejection } from '../../kit/rejection.ts';

const TIMEOUT_MS = 60_000;
const commandFor = (program: string): KeySource =>
  createCommandKeys({ command: `${process.execPath} ${program}`, timeoutMs: TIMEOUT_MS });

const subjectIn = (open: (file: string) => KeySource): KeySourceSubject => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  const file = join(folder, 'keys');
  const keys = [randomBytes(32), randomBytes(32)];
  const put = (all: readonly Buffer[]): void =>
    writeFileSync(file, `${all.map((key) => key.toString('hex')).join('\n')}\n`, { mode: 0o600 });
  put(keys);
  return {
    source: open(file),
    keys,
    rotate: async () => {
      const present = randomBytes(32);
      put([present, ...keys]);
      return present;
    },
    lose: async () => writeFileSync(file, 'lost\n'),
    stop: async () => rmSync(folder, { recursive: true }),
  };
};

describeKeySource('a file', () => subjectIn(createFileKeys));
describeKeySource('a command', () =>
  subjectIn((file) => {
    const program = `${file}.cjs`;
    writeFileSync(program, `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}))`);
    return commandFor(program);
  }),
);

describe('keys of the operator', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
    file = join(folder, 'keys');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const put = (content: string | Buffer): KeySource => {
    writeFileSync(file, content, { mode: 0o600 });
    return createFileKeys(file);
  };

  it('are read as 32 bytes, in hexadecimal and in base64', async () => {
    const key = randomBytes(32);
    for (const text of [
      key,
      key.toString('hex'),
      `${key.toString('base64')}\r\n`,
      `\n${key.toString('base64url')}\n`,
    ]) {
      expect((await put(text).readKeys()).map((one) => Buffer.from(one).equals(key))).to.deep.equal([true]);
    }
  });

  it('are refused in any other form, which is never repeated', async () => {
    const half = randomBytes(16).toString('hex');
    const refused = [half, `${half}0`, '', randomBytes(31), randomBytes(33), '0'.repeat(64), `${half}${half}\nsecret`];
    for (const text of refused) {
      const error = await rejection(put(text).readKeys());
      expect(error).to.include({ code: 'validation', message: `${file} gives no key of the operator` });
    }
  });

  it('are refused in a file that every user of the machine may open, and in anything but a file', async () => {
    const source = put(randomBytes(32));
    if (process.platform !== 'win32') {
      chmodSync(file, 0o644);
      expect(await rejection(source.readKeys())).to.include({
        message: `every user of this machine may open the key file ${file}`,
        hint: `run: chmod 600 ${file}`,
      });
      chmodSync(file, 0o440);
      expect(await source.readKeys()).to.have.length(1);
    }
    expect(await rejection(createFileKeys(folder).readKeys())).to.have.property('status');
    expect((await rejection(createFileKeys(join(folder, 'none')).readKeys())).message).to.include('(ENOENT)');
  });

  it('come from a command without a shell, whose output no error repeats', async () => {
    const program = join(folder, 'program.cjs');
    const failures: readonly (readonly [code: string, message: string])[] = [
      ['process.exitCode = 3', 'ended with code 3'],
      ["process.stdout.write('s3cret'.repeat(9000))", 'prints more than keys'],
      ["process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 'ended with SIGTERM'],
    ];
    for (const [code, message] of failures) {
      writeFileSync(program, `process.stdout.write('s3cret'); process.stderr.write('s3cret'); ${code}`);
      const error = await rejection(commandFor(program).readKeys());
      expect(error.message).to.equal(`the command that prints the encryption key ${message}`);
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.to.include('s3cret');
    }
    const marker = join(folder, 'marker');
    writeFileSync(program, 'process.stdout.write(process.argv[2])');
    await rejection(
      createCommandKeys({
        command: `${process.execPath} ${program} ;touch ${marker}`,
        timeoutMs: TIMEOUT_MS,
      }).readKeys(),
    );
    expect(() => readFileSync(marker)).to.throw();
    expect(
      (await rejection(createCommandKeys({ command: '/no/such/program', timeoutMs: TIMEOUT_MS }).readKeys())).message,
    ).to.include('cannot be started (ENOENT)');
  });

  it('come from a command that ends in time, or not at all', async () => {
    const program = join(folder, 'program.cjs');
    // A child that outlives the command must not keep the node waiting.
    writeFileSync(
      program,
      "require('node:child_process').spawnSync(process.execPath, ['-e', 'setTimeout(() => {}, 9000)'], { stdio: 'inherit' })",
    );
    const slow = createCommandKeys({ command: `${process.execPath} ${program}`, timeoutMs: 500 });
    expect((await rejection(slow.readKeys())).message).to.include('did not end within 500 ms');
  });
});
