import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeyAdministration, KeyRecord, NewKey } from '../../../adapters/cli/command-line-deps.ts';
import { ensureFirstKey } from '../../../adapters/cli/first-key.ts';
import { writeKeyFile } from '../../../adapters/cli/key-file.ts';
import { ServiceError } from '../../../ports/ports.ts';

/** Keys in memory, refusing a key twice as the node does. */
class RememberedKeys implements KeyAdministration {
  readonly permissions = ['read', 'write', 'admin'];
  readonly registered: NewKey[] = [];

  async count(): Promise<number> {
    return this.registered.length;
  }

  async register(key: NewKey): Promise<KeyRecord> {
    if (this.registered.some(({ rawKey }) => rawKey === key.rawKey)) throw new ServiceError('conflict', 'known');
    this.registered.push(key);
    const { entityUri, permissions, allowedScopes, description } = key;
    const createdAt = '2026-03-02T09:15:04.120Z';
    return { id: 'k1', entityUri, permissions, allowedScopes, description, createdAt, expiresAt: null };
  }

  async isActive(rawKey: string): Promise<boolean> {
    return this.registered.some((key) => key.rawKey === rawKey);
  }

  async list(): Promise<readonly KeyRecord[]> {
    return [];
  }

  async revoke(): Promise<void> {}
}

describe('the first key', () => {
  let folder: string;
  let data: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'first-key-'));
    data = join(folder, 'data');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const keyOnDisk = (): string => readFileSync(join(data, 'admin.key'), 'utf8').trim();

  it('is drawn, written for its owner alone, and registered with every permission', async () => {
    const keys = new RememberedKeys();
    const { registered } = await ensureFirstKey(keys, data, 'agent:admin');

    expect(registered?.entityUri).to.equal('agent:admin');
    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal([keyOnDisk()]);
    expect(keyOnDisk()).to.match(/^[0-9a-f]{64}$/);
    expect(keys.registered[0]?.permissions).to.include.members(['admin', 'read', 'write']);
    expect(statSync(join(data, 'admin.key')).mode & 0o777).to.equal(0o600);
    expect(readdirSync(data)).to.deep.equal(['admin.key']);
  });

  it('is left alone when the store has a key', async () => {
    const keys = new RememberedKeys();
    await ensureFirstKey(keys, data, 'agent:admin');
    const before = keyOnDisk();
    const { registered } = await ensureFirstKey(keys, data, 'agent:admin');

    expect(registered).to.equal(null);
    expect(keyOnDisk()).to.equal(before);
    expect(keys.registered).to.have.length(1);
  });

  it('is the one on disk when a crash came between the file and the store', async () => {
    writeKeyFile(join(data, 'admin.key'), 'a'.repeat(64));
    const keys = new RememberedKeys();
    await ensureFirstKey(keys, data, 'agent:admin');

    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal(['a'.repeat(64)]);
  });

  it('is the same for several first starts at once', async () => {
    const keys = new RememberedKeys();
    await Promise.all([1, 2, 3, 4].map(() => ensureFirstKey(keys, data, 'agent:admin')));

    expect(keys.registered.map(({ rawKey }) => rawKey)).to.deep.equal([keyOnDisk()]);
  });

  it('is refused, and nothing registered, when the file holds something else', async () => {
    writeKeyFile(join(data, 'admin.key'), 'short');
    const keys = new RememberedKeys();
    const error = await ensureFirstKey(keys, data, 'agent:admin').catch((thrown: unknown) => thrown);

    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).message).to.contain('admin.key');
    expect((error as ServiceError).hint).to.contain('remove the file');
    expect(keys.registered).to.deep.equal([]);
  });

  it('never replaces a file, whoever wrote it', () => {
    writeFileSync(join(folder, 'mine'), 'mine');

    expect(writeKeyFile(join(folder, 'mine'), 'b'.repeat(64))).to.equal(false);
    expect(readFileSync(join(folder, 'mine'), 'utf8')).to.equal('mine');
    expect(readdirSync(folder)).to.deep.equal(['mine']);
  });
});
