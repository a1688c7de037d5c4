import { expect } from 'chai';
import { type Manifest, readManifest, spellManifest } from '../../../plugins/backup/manifest-json.ts';

const file = (name: string) => ({ name, bytes: 1, sha256: '0'.repeat(64) });

const manifest = (members: Partial<Manifest> = {}, files = [file('store.db')]): Manifest => ({
  id: 'backup-20261123T021500123Z-1a2b3c4d',
  createdAt: '2026-11-23T02:15:00.123Z',
  copy: { layout: 'sqlite', files, nodeId: null, epoch: 'e', head: null, ledgers: [], tables: {}, migrations: [] },
  keyFiles: [],
  ...members,
});

describe('The manifest of a backup', () => {
  it('is parsed to the value that was written', () => {
    const whole = manifest({ keyFiles: [file('node.key'), file('node.key.retired-1f')] });
    expect(readManifest(spellManifest(whole))).to.deep.equal(whole);
  });

  it('may not contain a path outside its folder, an impossible size or digest, or key files other than node keys', () => {
    for (const name of ['../store.db', '/etc/passwd', '..', 'a/b'])
      expect(() => readManifest(spellManifest(manifest({}, [file(name)]))), name).to.throw('damaged');
    for (const bytes of [-1, 0.5, '1' as unknown as number, 2 ** 60])
      expect(() => readManifest(spellManifest(manifest({}, [{ ...file('a'), bytes }])))).to.throw('damaged');
    expect(() => readManifest(spellManifest(manifest({}, [{ ...file('a'), sha256: 'x' }])))).to.throw('damaged');
    for (const name of ['erasures.jsonl', '../node.key', 'node.key.retired-/x'])
      expect(() => readManifest(spellManifest(manifest({ keyFiles: [file(name)] }))), name).to.throw('damaged');
  });
});
