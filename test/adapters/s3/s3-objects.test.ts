import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createS3Objects } from '../../../adapters/s3/s3-objects.ts';
import { importS3Sdk, openBucket } from '../../../adapters/s3/s3-sdk.ts';
import { createObjectStores } from '../../../config/object-stores.ts';
import type { ObjectStore } from '../../../ports/ports.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { allOf, bytesOf, contentOf, describeObjectStore } from '../../contract/object-store-contract.ts';
import { rejection } from '../../kit/rejection.ts';
import { S3_BUCKET, type S3Server, s3Variables, startS3Server } from '../../kit/s3-server.ts';

const MIB = 1024 * 1024;

describeObjectStore('bucket', async () => {
  const server = await startS3Server();
  const store = await createObjectStores(s3Variables(server.url)).open(`s3://${S3_BUCKET}/some/prefix`);
  return { store, stop: () => server.close() };
});

describe('the store of objects in an S3 bucket', () => {
  let server: S3Server;
  let store: ObjectStore;
  beforeEach(async () => {
    server = await startS3Server();
    store = await createObjectStores(s3Variables(server.url)).open(`s3://${S3_BUCKET}/p`);
  });
  afterEach(() => server.close());

  it('lists only keys below its prefix, and leaves out keys that are no safe paths', async () => {
    for (const key of ['p/../x', 'p//x', 'p/a b', 'p/.x', 'q/x', 'p', `p/${'x'.repeat(200)}`]) server.put(key, 'x');
    server.put('p/good', 'x');
    expect(await allOf(store.list(''))).to.deep.equal([{ path: 'good', bytes: 1 }]);
  });

  it('gives up a list when the server accepts the request and never answers', async () => {
    const sdk = await importS3Sdk();
    const bucket = openBucket(`s3://${S3_BUCKET}/p`, s3Variables(server.url), sdk);
    server.fault = () => 'silence';
    const error = await rejection(allOf(createS3Objects(bucket, 50).list('')));
    expect(error).to.include({ code: 'unavailable' });
    expect(error.message).to.contain('no answer within 0.05 s');
  });

  it('resumes an interrupted upload by sending only the parts that the server lacks', async () => {
    const written = contentOf(randomBytes(20 * MIB));
    server.fault = ({ query }) => (query.get('partNumber') === '3' ? 'cut' : undefined);
    expect(await rejection(store.write('big', written))).to.include({ code: 'unavailable' });
    server.fault = () => undefined;
    server.requests.length = 0;
    await store.write('big', written);
    expect(server.requests.filter((one) => one.startsWith('PUT'))).to.have.length(1);
    expect(server.objects.get('p/big')?.body.length).to.equal(20 * MIB);
  }).timeout(60_000);

  it('resumes an upload to an encrypting server, and repeats only the part that detects the encryption', async () => {
    server.encrypts = true;
    const written = contentOf(randomBytes(20 * MIB));
    server.fault = ({ query }) => (query.get('partNumber') === '3' ? 'cut' : undefined);
    expect(await rejection(store.write('big', written))).to.include({ code: 'unavailable' });
    server.fault = () => undefined;
    server.requests.length = 0;
    await store.write('big', written);
    const parts = server.requests.filter((one) => one.startsWith('PUT')).map((one) => /partNumber=(\d)/.exec(one)?.[1]);
    expect(parts.sort()).to.deep.equal(['1', '3']);
    expect(server.objects.get('p/big')?.body.length).to.equal(20 * MIB);
  }).timeout(60_000);

  it('counts an upload as complete when only the reply to its last request was lost', async () => {
    const written = randomBytes(9 * MIB);
    server.fault = ({ method, query }) => (method === 'POST' && query.has('uploadId') ? 'cut-reply' : undefined);
    await store.write('big', contentOf(written));
    expect(server.objects.get('p/big')?.body.equals(written)).to.equal(true);
    expect(server.uploads.size).to.equal(0);
  }).timeout(60_000);

  it('does not mistake an older object for an upload that the server has dropped', async () => {
    const [older, newer] = [randomBytes(9 * MIB), randomBytes(9 * MIB)];
    await store.write('big', contentOf(older));
    server.fault = ({ method, query }) => {
      if (method === 'POST' && query.has('uploadId')) server.uploads.clear();
      return undefined;
    };
    expect(await rejection(store.write('big', contentOf(newer)))).to.include({ code: 'lookup' });
  }).timeout(60_000);

  it('repeats an upload that arrived damaged, and gives up after several attempts', async () => {
    let damaged = 0;
    server.fault = ({ method }) => (method === 'PUT' && damaged++ < 2 ? 'corrupt' : undefined);
    await store.write('one', contentOf(Buffer.from('whole')));
    expect(String(server.objects.get('p/one')?.body)).to.equal('whole');
    server.fault = ({ method }) => (method === 'PUT' ? 'corrupt' : undefined);
    expect(await rejection(store.write('two', contentOf(Buffer.from('whole'))))).to.include({ code: 'unavailable' });
    expect(server.objects.has('p/two')).to.equal(false);
  });

  it('continues a download from where the connection broke, and gives up if no byte arrives', async () => {
    const written = randomBytes(3 * MIB);
    await store.write('one', contentOf(written));
    let cuts = 0;
    server.fault = ({ method }) => (method === 'GET' && cuts++ < 4 ? 'cut-reply' : undefined);
    expect((await bytesOf(store.read('one'))).equals(written)).to.equal(true);
    server.fault = ({ method }) => (method === 'GET' ? 'cut' : undefined);
    expect(await rejection(bytesOf(store.read('one')))).to.include({ code: 'unavailable' });
  }).timeout(60_000);

  it('gives up a download whose bodies end too early without an error', async () => {
    const sdk = await importS3Sdk();
    const bucket = openBucket(`s3://${S3_BUCKET}/p`, s3Variables(server.url), sdk);
    let asked = 0;
    const send = async () => {
      asked += 1;
      return { ContentLength: 5, Body: Readable.from([]) };
    };
    const read = createS3Objects({ ...bucket, client: { send } as unknown as typeof bucket.client }).read('one');
    expect(await rejection(bytesOf(read))).to.include({ code: 'unavailable' });
    expect(asked).to.be.lessThan(10);
  }).timeout(60_000);

  it('reports missing credentials at a download, without another attempt', async () => {
    const sdk = await importS3Sdk();
    const bucket = openBucket(`s3://${S3_BUCKET}/p`, s3Variables(server.url), sdk);
    const send = () => Promise.reject(Object.assign(new Error('none'), { name: 'CredentialsProviderError' }));
    const read = createS3Objects({ ...bucket, client: { send } as unknown as typeof bucket.client }).read('one');
    expect((await rejection(bytesOf(read))).message).to.equal(`there are no credentials for s3://${S3_BUCKET}/p/`);
  });

  it('reports until when an object is locked, and removes it only afterwards', async () => {
    await store.write('one', contentOf(Buffer.from('x')));
    server.locks.set('p/one', Date.UTC(2100, 0, 1));
    expect(await store.lockOf('one')).to.deep.equal({ untilMs: Date.UTC(2100, 0, 1) });
    expect(await rejection(store.remove('one'))).to.include({ code: 'conflict' });
    expect(server.objects.has('p/one')).to.equal(true);
    server.locks.set('p/one', Date.UTC(2020, 0, 1));
    expect(await store.lockOf('one')).to.equal(null);
    await store.remove('one');
    expect(server.objects.has('p/one')).to.equal(false);
  });

  it('reports failures without text that may hold credentials', async () => {
    const env = s3Variables(server.url);
    const tried = async (place: string, more: Record<string, string> = {}): Promise<Error & Record<string, unknown>> =>
      rejection((async () => allOf((await createObjectStores({ ...env, ...more }).open(place)).list('')))());
    const missing = await tried('s3://another/p');
    expect(missing).to.include({ code: 'lookup' });
    expect(missing.message).to.equal('there is no bucket of s3://another/p/');
    const closed = await tried(`s3://${S3_BUCKET}`, { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' });
    expect(closed.message).to.equal(`s3://${S3_BUCKET}/ cannot be used (ECONNREFUSED)`);
    for (const place of [
      's3://key:secret@kept/p',
      's3://kept/p?x=secret',
      's3://kept/../secret',
      's3:secret',
      'ftp://secret',
    ]) {
      const refused = await tried(place);
      expect(refused, place).to.include({ code: 'validation' });
      expect(JSON.stringify([refused.message, refused['hint']])).to.not.include('secret');
    }
    for (const error of [missing, closed]) expect(error.cause).to.equal(undefined);
  }).timeout(60_000);

  it('prints the command that installs the SDK when the SDK is missing', async () => {
    const load = (): Promise<never> => Promise.reject(Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' }));
    const error = await rejection(importS3Sdk(load));
    const { devDependencies } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
    const tested = devDependencies['@aws-sdk/client-s3'];
    expect(error.message).to.include('@aws-sdk/client-s3, which is not installed');
    const place = 'in the folder where the node is installed, with --global after a global install';
    expect(error['hint']).to.equal(`run "npm install @aws-sdk/client-s3@${tested}" ${place}`);
  });

  it('lets the SDK print no warning about the version of Node.js', async () => {
    const sdk = JSON.stringify(import.meta.resolve('../../../adapters/s3/s3-sdk.js'));
    const program = `const { importS3Sdk, openBucket } = await import(${sdk});
      openBucket('s3://${S3_BUCKET}', {}, await importS3Sdk());`;
    const env = { ...process.env };
    delete env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'];
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
    expect(stderr).to.equal('');
  });
});
