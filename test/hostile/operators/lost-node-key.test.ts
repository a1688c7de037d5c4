import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const PLUGINS = ['keys', 'audit', 'facts', 'node-info'];
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64url');

forEachStore('An operator loses the private key of a node that has a store (I22)', () => {
  let folder: string;
  let nodes: TestNode[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lost-key-'));
    nodes = [];
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await (await placeTestStore(currentStore(), folder)).remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (options: TestNodeOptions = {}): Promise<TestNode> => {
    const node = await startTestNode({ plugins: PLUGINS, folder, ...options });
    nodes.push(node);
    return node;
  };
  const publicKeyOf = (node: TestNode): string => node.kernel.get(NodeIdentity).publicKey;
  const keyFile = (): string => join(folder, 'node.key');

  /** Leaves a store whose key file was renamed to `backup.key`. */
  const loseKey = async (): Promise<string> => {
    const node = await start();
    const publicKey = publicKeyOf(node);
    await node.stop();
    copyFileSync(keyFile(), join(folder, 'backup.key'));
    rmSync(keyFile());
    return publicKey;
  };

  it('is refused a start and told the remedies; the node never silently generates another key', async () => {
    await loseKey();
    const error = await rejection(start());

    expect(error.message).to.contain(`there is no file ${keyFile()}`);
    for (const remedy of ['put back your copy', '--with-key', 'SVC_NODE_PRIVATE_KEY', 'node-key create']) {
      expect(error.message).to.contain(remedy);
    }
    expect(existsSync(keyFile())).to.equal(false);
  });

  it('gets the same node again once the key file is restored', async () => {
    const publicKey = await loseKey();
    copyFileSync(join(folder, 'backup.key'), keyFile());

    expect(publicKeyOf(await start())).to.equal(publicKey);
  });

  it('finds in log and audit that the node has another key after replacing it', async () => {
    const publicKey = await loseKey();
    const node = await start({ settings: { 'node-info': { privateKey: OTHER_KEY } } });

    const warnings = node.logLines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ retiredPublicKey: publicKey, publicKey: publicKeyOf(node) });
    const key = await node.addKey({ permissions: ['admin', 'audit.read'] });
    const { body } = await node.request('GET', '/v1/audit?event_type=key_rotation', { key });
    expect(body).to.have.property('total', 1);
    await node.stop();
    const again = await start({ settings: { 'node-info': { privateKey: OTHER_KEY } } });
    expect(again.logLines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
  });

  it('is not refused when the first start was interrupted before it created the key', async () => {
    await (await start({ plugins: ['keys', 'facts'] })).stop();
    expect(existsSync(keyFile())).to.equal(false);

    expect(publicKeyOf(await start())).to.have.length(43);
  });
});

describe('An operator creates a new key for a node whose key is lost', () => {
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  it('uses a separate command, which does nothing while a key file exists', async () => {
    await place.run(['init']);
    const before = readFileSync(place.path('data/node.key'), 'utf8');
    const refused = await place.run(['node-key', 'create']);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.match(/^error: the node has a private key already: .*node\.key\nhint: .*rotate node-key/);
    expect(readFileSync(place.path('data/node.key'), 'utf8')).to.equal(before);

    rmSync(place.path('data/node.key'));
    const failed = await place.runApart(['start'], { SVC_PORT: '0' });
    expect([failed.exitCode, failed.stdout]).to.deep.equal([1, '']);
    expect(failed.stderr).to.contain('hint: ').and.contain('node-key create').and.not.contain('    at ');
    const made = await place.run(['node-key', 'create']);
    expect([made.exitCode, made.stderr]).to.deep.equal([0, '']);
    expect(made.stdout).to.contain('data/node.key');
    expect(readFileSync(place.path('data/node.key'), 'utf8')).not.to.equal(before);
    expect((await (await place.start()).end()).exitCode).to.equal(0);
    expect(readdirSync(place.path('data')).filter((name) => name.startsWith('node.key'))).to.deep.equal(['node.key']);
  });
});

describe('An operator deletes or revokes the first key (I22)', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = new Workplace();
    await place.run(['init']);
  });
  afterEach(() => place.dispose());

  const onlyKey = async (): Promise<string> =>
    (JSON.parse((await place.run(['key', 'list', '--json'])).stdout.trim()) as { id: string }).id;

  it('sees after a revocation the command to create another key, and no path of a key file', async () => {
    expect((await place.run(['key', 'revoke', await onlyKey()])).exitCode).to.equal(0);
    const node = await place.start();

    expect(node.greeting).not.to.contain('admin.key');
    expect(node.greeting).to.contain('no key is active').and.to.contain('key add');
  });

  it('sees no path of a key file that is missing, and reads why one with other content is of no use', async () => {
    await place.run(['key', 'add', '--entity', 'agent:other', '--out', 'other.key']);
    rmSync(place.path('data/admin.key'));
    const node = await place.start();
    expect(node.greeting).to.match(/^Serving http:\S+; existing store \S+ \(folder \S+\); ready in \d+ ms\n$/);
    await node.end();
    copyFileSync(place.path('data/node.key'), place.path('data/admin.key'));
    const { greeting } = await place.start();
    expect(greeting).not.to.contain('the first key is in');
    expect(greeting).to.contain('admin.key holds a key that is not valid now').and.to.contain('key add');
  });
});
