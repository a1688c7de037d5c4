import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { operatorKeyId } from '../../adapters/sealed/data-keys.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BackupPlace, fact, request } from '../plugins/backup/backup-place.ts';
import { holdKeys, remember } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 120_000;
const CANARY = 'canary-7f3a9c';

/** Each command that writes an export to a file. */
const EXPORTS: readonly (readonly string[])[] = [
  ['export'],
  ['tenant', 'export', 'default'],
  ['audit', 'export'],
  ['subject', 'export', 'user:a'],
];

forEachStore('an export that a command of a node with a key writes', (kind) => {
  let place: BackupPlace;
  let env: Readonly<Record<string, string>>;
  const key = randomBytes(32);
  const at = (name: string): string => place.work.path(name);

  before(async () => {
    place = await BackupPlace.on(kind, fewPlugins('audit', 'multi-tenant', 'tombstones', 'transfer'));
    env = { ...holdKeys(place, key), SVC_MULTI_TENANT_ENABLED: 'true' };
    await remember(place, env, ['user:a', CANARY]);
  });
  after(() => place.dispose());

  it('is sealed, for its user alone, and opens to the plain one', async () => {
    for (const command of EXPORTS) {
      const name = command.join('-');
      const written = await place.run([...command, '--out', at(name)], env);
      expect(written.exitCode, written.stderr).to.equal(0);
      expect(written.stderr, name).to.include(`${at(name)} is sealed`);
      expect(readFileSync(at(name)).includes(CANARY), name).to.equal(false);
      expect(readFileSync(at(name)).includes('"type"'), name).to.equal(false);
      expect(statSync(at(name)).mode & 0o777, name).to.equal(0o600);
      const opened = await place.run(['encryption', 'open', at(name), '--out', at(`${name}.open`)], env);
      expect(opened.exitCode, opened.stderr).to.equal(0);
      expect(opened.stderr, name).to.include(`wrote ${at(`${name}.open`)}: the opened content, in the clear\n`);
      expect(statSync(at(`${name}.open`)).mode & 0o777, name).to.equal(0o600);
      const plain = await place.run([...command, '--plain', '--out', at(`${name}.plain`)], env);
      expect(plain.stderr, name).to.include(`warning: ${at(`${name}.plain`)} holds what people said in the clear`);
      const [one, other] = ['open', 'plain'].map(
        (end) => readFileSync(at(`${name}.${end}`), 'utf8').split('\n').length,
      );
      expect(one, name).to.equal(other);
      const holds = ['open', 'plain'].map((end) => readFileSync(at(`${name}.${end}`)).includes(CANARY));
      // The audit log names facts, and repeats no value.
      expect(holds, name).to.deep.equal(command[0] === 'audit' ? [false, false] : [true, true]);
    }
  }).timeout(LIMIT_MS);

  it('is imported, and verified, as it lies', async () => {
    const other = await BackupPlace.on(kind, fewPlugins('audit', 'multi-tenant', 'tombstones', 'transfer'));
    try {
      expect((await place.run(['export', '--out', at('moved')], env)).exitCode).to.equal(0);
      const others = holdKeys(other, key);
      expect((await other.run(['init'], others)).exitCode).to.equal(0);
      const imported = await other.run(['import', at('moved')], others);
      expect(imported.exitCode, imported.stderr).to.equal(0);
      const node = await other.start(others);
      const { facts } = (await request(node, 'GET', '/v1/facts?entity=user:a')).body;
      await node.end();
      expect(facts[0].value.v).to.equal(CANARY);
    } finally {
      await other.dispose();
    }
    expect((await place.run(['audit', 'export', '--out', at('log')], env)).exitCode).to.equal(0);
    const verified = await place.run(['audit', 'verify', '--file', at('log')], env);
    expect(verified.exitCode, verified.stderr).to.equal(0);
    expect(verified.stdout).to.include('entries hold');
  }).timeout(LIMIT_MS);

  it('is refused with the reason by each command that reads it', async () => {
    expect((await place.run(['export', '--out', at('whole')], env)).exitCode).to.equal(0);
    const whole = readFileSync(at('whole'));
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(whole.length - 40) ^ 1, whole.length - 40);
    writeFileSync(at('changed'), changed);
    writeFileSync(at('cut'), whole.subarray(0, -1));
    const refusals: readonly [string, readonly Buffer[], string][] = [
      ['whole', [], `sealed with the key ${operatorKeyId(key)}, and this node has no key`],
      ['whole', [randomBytes(32)], `sealed with the key ${operatorKeyId(key)}, and the present key is`],
      ['changed', [key], 'the export is damaged'],
      ['cut', [key], 'the export is damaged'],
    ];
    for (const [name, keys, message] of refusals) {
      const given = holdKeys(place, ...keys);
      for (const command of [['import'], ['encryption', 'open'], ['audit', 'verify', '--file']]) {
        const refused = await place.run([...command, at(name)], given);
        expect(refused.exitCode, `${command} ${name}`).to.equal(1);
        expect(refused.stderr, `${command} ${name}`).to.include(message).and.to.include('hint: ');
        expect(refused.stdout.includes(CANARY)).to.equal(false);
      }
    }
    env = { ...holdKeys(place, key), SVC_MULTI_TENANT_ENABLED: 'true' };
    const partial = await place.run(['encryption', 'open', at('cut'), '--out', at('partial')], env);
    expect(partial.exitCode).to.equal(1);
    expect(statSync(at('partial'), { throwIfNoEntry: false })).to.equal(undefined);
    writeFileSync(at('other'), '{"type":"header"}\n');
    const other = await place.run(['encryption', 'open', at('other')], env);
    expect(other.stderr).to.include('the file is not sealed\nhint: read it as it is');
  }).timeout(LIMIT_MS);

  it('is refused where the file exists, or its folder does not', async () => {
    writeFileSync(at('there'), 'kept');
    for (const command of EXPORTS) {
      for (const [file, message] of [
        ['there', 'exists already'],
        ['nowhere/file', 'cannot be written (ENOENT)'],
      ] as const) {
        const refused = await place.run([...command, '--out', at(file)], env);
        expect(refused.exitCode, command.join(' ')).to.equal(1);
        expect(refused.stderr, command.join(' ')).to.include(message);
      }
    }
    expect(readFileSync(at('there'), 'utf8')).to.equal('kept');
  }).timeout(LIMIT_MS);

  it('goes to standard output in the clear, and stays clear on a node without a key', async () => {
    const shown = await place.run(['export'], env);
    expect(shown.stdout).to.include(CANARY);
    const clear = await BackupPlace.on(kind, fewPlugins('audit', 'multi-tenant', 'tombstones', 'transfer'));
    try {
      const node = await clear.start();
      expect((await request(node, 'POST', '/v1/facts', fact('user:a', CANARY))).status).to.equal(201);
      await node.end();
      const written = await clear.run(['export', '--out', clear.work.path('clear')]);
      expect(written.stderr).to.not.match(/sealed|warning/);
      expect(readFileSync(clear.work.path('clear'), 'utf8')).to.include(CANARY);
    } finally {
      await clear.dispose();
    }
  }).timeout(LIMIT_MS);
});
