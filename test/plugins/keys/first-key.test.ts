import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { type NodeSettings, nodePrincipal, type Principal, ServiceError } from '../../../kernel/plugin-api.ts';
import { ensureFirstKey, type FirstKeyParts, greetWithKey } from '../../../plugins/keys/first-key.ts';
import type { KeyRecord, KeyRegistration } from '../../../plugins/keys/keys-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

/** A key registry in memory, which refuses a known key like the node does. */
class RememberedKeys {
  readonly permissions = ['read', 'write', 'admin'];
  readonly registered: KeyRegistration[] = [];

  async count(): Promise<number> {
    return this.registered.length;
  }

  async register(_actor: Principal, key: KeyRegistration): Promise<KeyRecord> {
    if (this.registered.some(({ rawKey }) => rawKey === key.rawKey)) throw new ServiceError('conflict', 'known');
    this.registered.push(key);
    const { entityUri, permissions, allowedScopes, description = null } = key;
    const createdAt = '2026-03-02T09:15:04.120Z';
    const rest = { tenantId: 'default', oidcSub: null, revokedAt: null, expiresAt: null, lastUsedAt: null };
    return { id: 'k1', entityUri, permissions, allowedScopes, description, createdAt, ...rest };
  }

  async list(): Promise<KeyRecord[]> {
    return [];
  }
}

const random = createSeededRandom();
const OTHER_KEY = { rawKey: 'c'.repeat(64), entityUri: 'agent:other', permissions: [], allowedScopes: [] };

const partsOf = (registry: RememberedKeys, dataFolder: string): FirstKeyParts => ({
  registry,
  random,
  node: { dataFolder } as NodeSettings,
  actor: nodePrincipal(createServiceNames('svc')),
  entityUri: 'agent:admin',
  isBrought: false,
  isDue: false,
  isActive: async (rawKey) => registry.registered.some((key) => key.rawKey === rawKey),
});

describe('the first key', () => {
  let folder: string;
  let data: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'first-key-'));
    data = join(folder, 'data');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const keyOnDisk = (): string => readFileSync(join(data, 'admin.key'), 'utf8').trim();

  it('is generated, written to a private file, and registered with every permission', async () => {
    const keys = new RememberedKeys();
    const { registered } = await ensureFirstKey(partsOf(keys, data));

    expect(registered?.entityUri).to.equal('agent:admin');
    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal([keyOnDisk()]);
    expect(keyOnDisk()).to.match(/^[0-9a-f]{64}$/);
    expect(keys.registered[0]?.permissions).to.include.members(['admin', 'read', 'write']);
    expect(statSync(join(data, 'admin.key')).mode & 0o777).to.equal(0o600);
    expect(readdirSync(data)).to.deep.equal(['admin.key']);
  });

  it('is not generated if the store has a key', async () => {
    const keys = new RememberedKeys();
    await ensureFirstKey(partsOf(keys, data));
    const before = keyOnDisk();
    const { registered } = await ensureFirstKey(partsOf(keys, data));

    expect(registered).to.equal(null);
    expect(keyOnDisk()).to.equal(before);
    expect(keys.registered).to.have.length(1);
  });

  it('is taken from the file if a crash happened between file and store', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'admin.key'), `${'a'.repeat(64)}\n`, { mode: 0o600 });
    const keys = new RememberedKeys();
    await ensureFirstKey(partsOf(keys, data));

    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal(['a'.repeat(64)]);
  });

  it('is the same for several simultaneous first starts', async () => {
    const keys = new RememberedKeys();
    await Promise.all([1, 2, 3, 4].map(() => ensureFirstKey(partsOf(keys, data))));

    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal([keyOnDisk()]);
  });

  it('is refused without registration if the file contains anything else', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'admin.key'), `${'short'}\n`, { mode: 0o600 });
    const keys = new RememberedKeys();
    const error = await ensureFirstKey(partsOf(keys, data)).catch((thrown: unknown) => thrown);

    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).message).to.contain('admin.key');
    expect((error as ServiceError).hint).to.contain('remove the file');
    expect(keys.registered).to.deep.equal([]);
  });

  const noteAtNextStart = async (change: (file: string) => void): Promise<string | undefined> => {
    rmSync(data, { recursive: true, force: true });
    const keys = new RememberedKeys();
    await ensureFirstKey(partsOf(keys, data));
    change(join(data, 'admin.key'));
    const list = async (): Promise<KeyRecord[]> => [await keys.register({} as Principal, OTHER_KEY)];
    const parts = partsOf(keys, data);
    const registry = Object.assign(keys, { list });
    return (await greetWithKey({ ...parts, registry, node: { ...parts.node, authRequired: true } }))?.note;
  };

  it('is named by a later start, which says where its file is of no use', async () => {
    expect(await noteAtNextStart(() => {})).to.match(/^the first key is in .*admin\.key$/);
    for (const [text, fault] of [
      ['', 'holds no key'],
      ['two words that are long enough', 'holds no key'],
      ['b'.repeat(64), 'holds a key that is not valid now'],
    ] as const) {
      const note = await noteAtNextStart((file) => writeFileSync(file, text));
      expect(note, text).to.match(
        new RegExp(`admin\\.key ${fault}, "fact-memory-node key add" generates another one$`),
      );
    }
    const note = await noteAtNextStart((file) => {
      rmSync(file);
      mkdirSync(file);
    });
    expect(note).to.contain('admin.key is not a regular file, ');
  });

  it('is not missed by a later start when the operator has put the file elsewhere', async () => {
    expect(await noteAtNextStart((file) => rmSync(file))).to.equal(undefined);
  });
});
