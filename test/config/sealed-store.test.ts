import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operatorKeyId } from '../../adapters/sealed/data-keys.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace, bytesBelow, fact, request } from '../plugins/backup/backup-place.ts';
import { holdKeys, remember } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 180_000;
const CANARY = 'canary-7f3a9c';
const KEYS = 'content-keys.json';

forEachStore('a node with an encryption key', (kind) => {
  let place: BackupPlace;
  const key = randomBytes(32);
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(() => place.dispose());

  /** Variables of a machine with these keys, the present one first. */
  const holding = (at: BackupPlace, ...keys: readonly Buffer[]): Record<string, string> =>
    keys.length === 0 ? {} : { ...holdKeys(at, ...keys), SVC_TOMBSTONES_ENABLED: 'true' };
  const storedValue = async (at: BackupPlace, env: Record<string, string>, entity: string): Promise<unknown> => {
    const node = await at.start(env);
    const { body } = await request(node, 'GET', `/v1/facts?entity=${entity}`);
    await node.end();
    return body.facts[0]?.value.v;
  };
  const storedText = async (): Promise<string> => JSON.stringify([...(await place.rows())]);
  const statusOf = async (env: Record<string, string>) => {
    const { stdout, stderr } = await place.run(['encryption', 'status', '--json'], env);
    return stdout === '' ? stderr : JSON.parse(stdout);
  };

  it('seals a new store from its first fact, and opens it after a restart', async () => {
    const env = holding(place, key);
    await remember(place, env, ['user:a', CANARY]);
    expect(await storedText()).to.not.include(CANARY);
    if (kind === 'sqlite') {
      const holders = bytesBelow(place.work.path('data')).filter(({ bytes }) => bytes.includes(CANARY));
      expect(holders.map(({ path }) => path)).to.deep.equal([]);
    }
    expect(await storedValue(place, env, 'user:a')).to.equal(CANARY);
    expect(await statusOf(env)).to.deep.include({ sealed: true, key_id: operatorKeyId(key), unfinished: null });
    const verified = await place.run(['verify'], env);
    expect(verified.exitCode, verified.stderr + verified.stdout).to.equal(0);
  }).timeout(LIMIT_MS);

  it('leaves a store that was made without a key clear, and says how to seal it', async () => {
    await remember(place, {}, ['user:a', CANARY]);
    const env = holding(place, key);
    const node = await place.start(env);
    expect((await request(node, 'GET', '/v1/facts?entity=user:a')).body.facts[0].value.v).to.equal(CANARY);
    await node.end();
    expect(await storedText()).to.include(CANARY);
    expect(await statusOf(env)).to.deep.include({ sealed: false });
    expect(existsSync(place.work.path(`data/${KEYS}`))).to.equal(false);
  }).timeout(LIMIT_MS);

  it('starts no sealed store without its keys, and each command says which one is missing', async () => {
    const env = holding(place, key);
    const file = place.work.path(`data/${KEYS}`);
    await remember(place, env, ['user:a', CANARY]);
    const before = await storedText();
    const sealed = readFileSync(file, 'utf8');
    const refusals: readonly [string, () => Record<string, string>][] = [
      ['the contents of this store are sealed, and the node has no encryption key', () => ({})],
      [`are sealed with the key ${operatorKeyId(key)}`, () => holding(place, randomBytes(32))],
      [
        'there are no content keys at',
        () => {
          rmSync(file);
          return holding(place, key);
        },
      ],
      [
        'belong to another store',
        () => {
          writeFileSync(file, sealed.replace(/"id":"./, '"id":"x'));
          return holding(place, key);
        },
      ],
      [
        'are older than the store',
        () => {
          writeFileSync(file, sealed.replace(/"version":1/, '"version":0'));
          return holding(place, key);
        },
      ],
    ];
    for (const [message, prepare] of refusals) {
      const variables = prepare();
      for (const command of [['start'], ['init'], ['verify'], ['backup'], ['plugins', 'doctor'], ['restored']]) {
        const refused = await place.run(command, variables);
        expect(refused.exitCode, `${command} ${message}`).to.not.equal(0);
        expect(refused.stderr + refused.stdout, command.join(' ')).to.include(message);
        expect(refused.stderr + refused.stdout).to.include('hint: ');
      }
    }
    expect(await storedText()).to.equal(before);
    writeFileSync(file, sealed);
    expect(await storedValue(place, holding(place, key), 'user:a')).to.equal(CANARY);
  }).timeout(LIMIT_MS);

  it('is restored on an empty machine from a sealed backup, with the key alone', async () => {
    const target = place.work.path('target');
    const env = { ...holding(place, key), SVC_BACKUP_TARGET: target };
    await remember(place, env, ['user:a', CANARY]);
    const sent = await place.run(['backup'], env);
    expect(sent.exitCode, sent.stderr).to.equal(0);
    const to = await BackupPlace.on(kind, BACKED_UP);
    try {
      const restored = await to.run(['restore', '--from', target], holding(to, key));
      expect(restored.exitCode, restored.stderr).to.equal(0);
      to.takeKeys(place);
      expect(await storedValue(to, holding(to, key), 'user:a')).to.equal(CANARY);
    } finally {
      await to.dispose();
    }
  }).timeout(LIMIT_MS);

  it('takes the content keys of another store from no folder of backups', async () => {
    const env = { ...holding(place, key), SVC_BACKUP_FOLDER: place.work.path('kept') };
    await remember(place, env, ['user:a', CANARY]);
    expect((await place.run(['backup'], env)).exitCode).to.equal(0);
    const copy = place.work.path(`kept/${KEYS}`);
    const before = readFileSync(copy, 'utf8');
    const other = await BackupPlace.on(kind, BACKED_UP);
    try {
      const others = { ...holding(other, key), SVC_BACKUP_FOLDER: place.work.path('kept') };
      await (await other.start(others)).end();
      const refused = await other.run(['backup'], others);
      expect(refused.exitCode).to.equal(1);
      expect(refused.stderr).to.include('belong to another store').and.to.include('SVC_BACKUP_FOLDER');
      expect(readFileSync(copy, 'utf8')).to.equal(before);
    } finally {
      await other.dispose();
    }
  }).timeout(LIMIT_MS);

  /** Kills a conversion as it writes this text, and expects it to be unfinished. */
  const kill = async (conversion: string, at: string, env: Record<string, string>): Promise<void> => {
    await place.work.killAtText(['encryption', conversion, '--config', 'node.json'], at, { ...place.env, ...env });
    const { stdout } = await place.run(['encryption', 'status', '--json'], env);
    expect(JSON.parse(stdout).unfinished).to.equal(conversion);
  };

  it('seals a full store, opens it, and renews its keys, also after a kill between two pieces', async () => {
    const many = Array.from({ length: 250 }, (_, at) => [`user:${at}`, `${CANARY} ${at}`] as const);
    // Facts that contradict each other have rows that repeat their value keys.
    await remember(place, {}, ...many, ['user:7', 'another'], ['user:8', 'another']);
    const env = holding(place, key);
    for (const conversion of ['on', 'rotate', 'off'] as const) {
      // The command reports between two transactions, of which the first has sealed 100 of the 252 facts.
      await kill(conversion, 'rewritten so far: 100 rows', env);
      const refused = await place.run(['start'], env);
      expect(refused.stderr).to.include(`"encryption ${conversion}" was begun on this store and is not finished`);
      const done = await place.run(['encryption', conversion], env);
      expect(done.exitCode, done.stderr).to.equal(0);
      expect((await storedText()).includes(CANARY)).to.equal(conversion === 'off');
      expect(await storedValue(place, env, 'user:9')).to.equal(`${CANARY} 9`);
      const verified = await place.run(['verify'], env);
      expect(verified.exitCode, verified.stderr + verified.stdout).to.equal(0);
    }
  }).timeout(LIMIT_MS);

  it('seals a store in which a caller has sent a text that looks sealed', async () => {
    const env = holding(place, key);
    const node = await place.start();
    const headers = { 'Idempotency-Key': 'hidden:1:AAAA' };
    expect((await request(node, 'POST', '/v1/facts', fact('user:a', CANARY), headers)).status).to.equal(201);
    await node.end();
    const done = await place.run(['encryption', 'on'], env);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(await storedValue(place, env, 'user:a')).to.equal(CANARY);
  }).timeout(LIMIT_MS);

  it('is not locked by a damaged fact: a rotation leaves it damaged, and nothing is opened', async () => {
    const env = holding(place, key);
    await remember(place, env, ['user:a', CANARY], ['user:b', 'stays']);
    await place.tamper(
      "INSERT INTO node_settings (key, value) VALUES ('content_seal_conversion', '{}')",
      "UPDATE facts SET sealed = (SELECT g.sealed FROM facts g WHERE g.entity_key = 'user:b') WHERE entity_key = 'user:a'",
      "DELETE FROM node_settings WHERE key = 'content_seal_conversion'",
    );
    const refused = await place.run(['encryption', 'off'], env);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include('is damaged, so the store cannot be written in the clear');
    const rotated = await place.run(['encryption', 'rotate'], env);
    expect(rotated.exitCode, rotated.stderr).to.equal(0);
    expect(await storedValue(place, env, 'user:b')).to.equal('stays');
    expect(await storedValue(place, env, 'user:a')).to.equal(undefined);
  }).timeout(LIMIT_MS);

  it('ends a conversion only after its remains are destroyed and the copies of the keys are replaced', async () => {
    await remember(place, {}, ['user:a', CANARY]);
    const env = holding(place, key);
    mkdirSync(place.backups, { recursive: true });
    const versionIn = (folder: string): unknown => JSON.parse(readFileSync(join(folder, KEYS), 'utf8')).version;
    for (const conversion of ['on', 'rotate'] as const) {
      await kill(conversion, 'all rows are rewritten', env);
      const done = await place.run(['encryption', conversion], env);
      expect(done.exitCode, done.stderr).to.equal(0);
      const contents = conversion === 'on' ? 'clear contents' : 'contents under the former keys';
      expect(done.stderr).to.include(`These places may still hold ${contents}:\n  - `);
      expect(versionIn(place.backups), conversion).to.equal(versionIn(place.work.path('data')));
    }
    const opened = await place.run(['encryption', 'off'], env);
    expect(opened.exitCode, opened.stderr).to.equal(0);
    expect(opened.stderr).to.not.include('These places');
  }).timeout(LIMIT_MS);

  it('refuses a backup from before a rotation, and a store of such a backup, and says what happened', async () => {
    const env = holding(place, key);
    await remember(place, env, ['user:a', CANARY]);
    const backup = (await place.run(['backup'], env)).stdout.trim();
    const rotated = await place.run(['encryption', 'rotate'], env);
    expect(rotated.exitCode, rotated.stderr).to.equal(0);
    const refused = await place.run(['restore', backup, '--replace'], env);
    expect(refused.exitCode, refused.stderr).to.not.equal(0);
    expect(refused.stderr).to.include('a rotation has destroyed the keys of this backup').and.include('hint: ');
    expect(await storedValue(place, env, 'user:a')).to.equal(CANARY);
    // The mark of a store that another program has restored.
    await place.tamper(
      `UPDATE node_settings SET value = replace(value, '"root":2', '"root":1') WHERE key = 'content_seal'`,
    );
    for (const command of [['start'], ['verify'], ['backup'], ['encryption', 'rotate'], ['encryption', 'off']]) {
      const { exitCode, stderr } = await place.run(command, env);
      expect(exitCode, command.join(' ')).to.not.equal(0);
      expect(stderr, command.join(' ')).to.include('a rotation has destroyed the keys of this backup');
    }
  }).timeout(LIMIT_MS);

  it('says that a clear store has no content keys, and fails for a sealed one that has lost its file', async () => {
    await remember(place, {}, ['user:a', CANARY]);
    const env = holding(place, key);
    const rewrapped = await place.run(['encryption', 'rewrap'], env);
    expect(rewrapped.exitCode).to.equal(1);
    expect(rewrapped.stderr).to.include('the store is not sealed, and there are no content keys at');
    expect((await place.run(['encryption', 'on'], env)).exitCode).to.equal(0);
    rmSync(place.work.path(`data/${KEYS}`));
    const status = await place.run(['encryption', 'status'], env);
    expect(status.exitCode).to.equal(1);
    expect(status.stdout).to.include('Contents   sealed');
    expect(status.stderr).to.include('of which a copy lies beside the backups');
  }).timeout(LIMIT_MS);

  it('lets another key of the operator open the store after a rewrap', async () => {
    const env = holding(place, key);
    await remember(place, env, ['user:a', CANARY]);
    const next = randomBytes(32);
    const rewrapped = await place.run(['encryption', 'rewrap'], holding(place, next, key));
    expect(rewrapped.exitCode, rewrapped.stderr).to.equal(0);
    expect(await storedValue(place, holding(place, next), 'user:a')).to.equal(CANARY);
    const refused = await place.run(['start'], holding(place, key));
    expect(refused.stderr).to.include(`are sealed with the key ${operatorKeyId(next)}`);
  }).timeout(LIMIT_MS);
});
