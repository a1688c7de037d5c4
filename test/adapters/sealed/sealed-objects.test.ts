import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFolderObjects } from '../../../adapters/files/folder-objects.ts';
import { operatorKeyId } from '../../../adapters/sealed/data-keys.ts';
import { createSealedObjects } from '../../../adapters/sealed/sealed-objects.ts';
import { createObjectStores } from '../../../config/object-stores.ts';
import type { KeySource, ObjectStore, RewrappedSeal } from '../../../ports/ports.ts';
import { allOf, bytesOf, contentOf, describeObjectStore } from '../../contract/object-store-contract.ts';
import { createGate } from '../../kit/create-gate.ts';
import { rejection } from '../../kit/rejection.ts';
import { S3_BUCKET, type S3Server, s3Variables, startS3Server } from '../../kit/s3-server.ts';

const MIB = 1024 * 1024;

const sourceOf = (...keys: readonly Buffer[]): KeySource => ({ readKeys: async () => keys });

const rewrapped = async (store: ObjectStore): Promise<RewrappedSeal[]> =>
  store.rewrap === undefined ? [] : allOf(store.rewrap());

describeObjectStore('sealed in a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
  return {
    store: createSealedObjects(createFolderObjects(folder), sourceOf(randomBytes(32))),
    stop: async () => rmSync(folder, { recursive: true }),
  };
});

describeObjectStore('sealed in a bucket', async () => {
  const server = await startS3Server();
  const stores = createObjectStores(s3Variables(server.url), sourceOf(randomBytes(32)));
  return { store: await stores.open(`s3://${S3_BUCKET}/some/prefix`), stop: () => server.close() };
});

describe('sealed objects', () => {
  let server: S3Server;
  let key: Buffer;
  let folder: string;
  beforeEach(async () => {
    server = await startS3Server();
    folder = mkdtempSync(join(tmpdir(), 'sealed-'));
    key = randomBytes(32);
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const open = (...keys: readonly Buffer[]): Promise<ObjectStore> =>
    createObjectStores(s3Variables(server.url), keys.length === 0 ? undefined : sourceOf(...keys)).open(
      `s3://${S3_BUCKET}/p`,
    );
  const bodyOf = (name: string): Buffer => server.objects.get(`p/${name}`)?.body ?? Buffer.alloc(0);
  const replace = (name: string, body: Buffer): void => {
    server.objects.set(`p/${name}`, { body, tag: `"${randomBytes(16).toString('hex')}"` });
  };

  it('show nothing of their content', async () => {
    const store = await open(key);
    await store.write('a/1', contentOf(Buffer.from('canary '.repeat(20_000))));
    for (const { body } of server.objects.values()) expect(body.includes('canary')).to.equal(false);
    expect(bodyOf('a/seal.json').toString()).to.include(operatorKeyId(key));
    await (await open()).write('b/1', contentOf(Buffer.from('canary')));
    expect(bodyOf('b/1').toString()).to.equal('canary');
  });

  it('lie beside clear ones, which stay readable', async () => {
    await (await open()).write('b/1', contentOf(Buffer.from('clear')));
    const store = await open(key);
    await store.write('a/1', contentOf(Buffer.from('sealed')));
    expect(await allOf(store.list(''))).to.have.deep.members([
      { path: 'a/1', bytes: 6, isSealed: true },
      { path: 'b/1', bytes: 5 },
    ]);
    expect(String(await bytesOf(store.read('b/1')))).to.equal('clear');
  });

  it('need their key, whose id the error names, and are listed and removed without it', async () => {
    await (await open(key)).write('a/1', contentOf(randomBytes(1_000)));
    const id = operatorKeyId(key);
    const other = randomBytes(32);
    for (const keys of [[], [other]]) {
      const store = await open(...keys);
      const error = await rejection(bytesOf(store.read('a/1')));
      expect(error).to.include({ code: 'conflict' });
      expect(error.message).to.include(`a is sealed with the key ${id}`);
      expect(await allOf(store.list(''))).to.deep.equal([{ path: 'a/1', bytes: 1_000, isSealed: true }]);
    }
    // With another key nothing is added to what that key does not open.
    expect(await rejection((await open(other)).write('a/2', contentOf(Buffer.from('x'))))).to.include({
      code: 'conflict',
    });
    await (await open()).remove('a/1');
    expect(server.objects.size).to.equal(0);
  });

  it('get no clear ones beside them from a node without a key', async () => {
    await (await open(key)).write('a/1', contentOf(Buffer.from('x')));
    const refused = await rejection((await open()).write('a/2', contentOf(Buffer.from('x'))));
    expect(refused).to.include({ code: 'conflict' });
    expect(refused.message).to.include(`a is sealed with the key ${operatorKeyId(key)}`);
    expect(server.objects.has('p/a/2')).to.equal(false);
    await (await open()).write('b/1', contentOf(Buffer.from('x')));
  });

  it('are opened by the present key alone after a rotation, without being sent again', async () => {
    const [before, present] = [key, randomBytes(32)];
    const content = randomBytes(9 * MIB);
    await (await open(before)).write('a/1', contentOf(content));
    await (await open(randomBytes(32))).write('b/1', contentOf(Buffer.from('of another operator')));
    server.requests.length = 0;
    const rotated = await open(present, before);
    const states = (await rewrapped(rotated)).map(({ folder, state, keyId }) => [folder, state, keyId]);
    expect(states[0]).to.deep.equal(['a', 'done', operatorKeyId(before)]);
    expect(states[1]?.slice(0, 2)).to.deep.equal(['b', 'unknown']);
    expect(server.requests.filter((one) => one.startsWith('PUT')).map((one) => one.replace(/\?.*/, ''))).to.deep.equal([
      'PUT p/a/seal.json',
    ]);
    expect((await bytesOf((await open(present)).read('a/1'))).equals(content)).to.equal(true);
    expect(await rejection(bytesOf((await open(before)).read('a/1')))).to.include({ code: 'conflict' });
    expect((await rewrapped(rotated)).map(({ state }) => state)).to.deep.equal(['current', 'unknown']);
  });

  it('are reported as damaged by a rotation when their seal names the present key and holds nothing of it', async () => {
    const garbage = { format: 1, key_id: operatorKeyId(key), sealed_key: randomBytes(60).toString('base64') };
    server.put('p/a/seal.json', JSON.stringify(garbage));
    expect((await rewrapped(await open(key))).map(({ state }) => state)).to.deep.equal(['damaged']);
  });

  it('open after two processes drew a key for their folder in the same moment', async () => {
    const inner = createFolderObjects(folder);
    let drawn = 0;
    let writing = Promise.resolve();
    const { passed: both, open: showBoth } = createGate();
    const meeting: ObjectStore = {
      ...inner,
      write: async (path, content, options) => {
        if (!path.endsWith('seal.json')) return inner.write(path, content, options);
        writing = writing.then(() => inner.write(path, content, options));
        await writing;
        drawn += 1;
        if (drawn === 2) showBoth();
        await both;
      },
    };
    const senders = [createSealedObjects(meeting, sourceOf(key)), createSealedObjects(meeting, sourceOf(key))];
    await Promise.all(senders.map((sender, at) => sender.write(`a/${at}`, contentOf(Buffer.from(`of ${at}`)))));
    expect(drawn).to.equal(2);
    for (const at of [0, 1])
      expect(String(await bytesOf(createSealedObjects(inner, sourceOf(key)).read(`a/${at}`)))).to.equal(`of ${at}`);
  });

  it('are opened by the present key after a rotation although other seals are damaged', async () => {
    const before = await open(key);
    for (const folder of ['a', 'b', 'c', 'd']) await before.write(`${folder}/1`, contentOf(Buffer.from(folder)));
    replace('b/seal.json', Buffer.from('{}'));
    replace('c/seal.json', bodyOf('a/seal.json'));
    const present = randomBytes(32);
    const states = (await rewrapped(await open(present, key))).map(({ folder, state, keyId }) => [
      folder,
      state,
      keyId,
    ]);
    expect(states).to.deep.equal([
      ['a', 'done', operatorKeyId(key)],
      ['b', 'damaged', null],
      ['c', 'damaged', operatorKeyId(key)],
      ['d', 'done', operatorKeyId(key)],
    ]);
    expect(String(await bytesOf((await open(present)).read('d/1')))).to.equal('d');
    // A damaged source is an error of its own, and no seal is blamed for it.
    expect(await rejection(rewrapped(await open(randomBytes(31), key)))).to.include({ code: 'validation' });
  });

  it('name the lock of a former seal, and are locked as long as their seal', async () => {
    const before = await open(key);
    await before.write('a/1', contentOf(Buffer.from('x')));
    const untilMs = Date.UTC(2100, 0, 1);
    server.locks.set('p/a/seal.json', untilMs);
    expect(await before.lockOf('a/1')).to.deep.equal({ untilMs });
    const [one] = await rewrapped(await open(randomBytes(32), key));
    expect(one).to.deep.include({ state: 'done', lock: { untilMs } });
  });

  it('are refused after each change of a byte, cut, swap and addition', async () => {
    const store = await open(key);
    // Two and a half chunks.
    const content = randomBytes(160_000);
    await store.write('a/1', contentOf(content));
    await store.write('a/2', contentOf(randomBytes(160_000)));
    await store.write('b/1', contentOf(randomBytes(160_000)));
    const whole = bodyOf('a/1');
    const seal = bodyOf('a/seal.json');
    const chunk = 64 * 1024 + 28;
    const flipped = (at: number): Buffer => Buffer.from(whole.map((byte, place) => (place === at ? byte ^ 1 : byte)));
    const bad: readonly Buffer[] = [
      ...[0, 7, 8, 20, 36, 8 + chunk, whole.length - 1].map(flipped),
      ...[0, 5, 8, 8 + chunk, 8 + 2 * chunk, whole.length - 1].map((end) => whole.subarray(0, end)),
      Buffer.concat([whole, whole.subarray(-chunk)]),
      Buffer.concat([whole, Buffer.from('x')]),
      Buffer.concat([whole.subarray(0, 8), whole.subarray(8 + chunk)]),
      Buffer.concat([whole.subarray(0, 8), whole.subarray(8 + chunk, 8 + 2 * chunk), whole.subarray(8, 8 + chunk)]),
      bodyOf('a/2'),
      bodyOf('b/1'),
      content,
    ];
    for (const body of bad) {
      replace('a/1', body);
      expect(await rejection(bytesOf(store.read('a/1'))), `${body.length}`).to.include({ code: 'validation' });
    }
    replace('a/1', whole);
    expect((await bytesOf(store.read('a/1'))).equals(content)).to.equal(true);
    for (const text of [bodyOf('b/seal.json').toString(), '', '{}', 'null', seal.toString().replace(':1,', ':2,')]) {
      replace('a/seal.json', Buffer.from(text));
      expect(await rejection(bytesOf(store.read('a/1')))).to.include({ code: 'validation' });
    }
  });

  it('send only the pieces that are missing when a write goes on', async () => {
    const store = await open(key);
    const content = contentOf(randomBytes(20 * MIB));
    server.fault = ({ query }) => (query.get('partNumber') === '3' ? 'cut' : undefined);
    expect(await rejection(store.write('a/1', content))).to.include({ code: 'unavailable' });
    server.fault = () => undefined;
    server.requests.length = 0;
    await (await open(key)).write('a/1', content);
    expect(
      server.requests.filter((one) => one.includes('partNumber')).map((one) => /partNumber=\d/.exec(one)?.[0]),
    ).to.deep.equal(['partNumber=3']);
  }).timeout(30_000);
});
