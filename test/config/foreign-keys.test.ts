import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { spellKeys } from '../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../adapters/sealed/content-keys.ts';
import { memoryKeySource } from '../kit/content-seal.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BACKED_UP, BackupPlace } from '../plugins/backup/backup-place.ts';

const LIMIT_MS = 120_000;
const KEYS = 'data/content-keys.json';

forEachStore('content keys of another store', (kind) => {
  let place: BackupPlace;
  const key = randomBytes(32);
  beforeEach(async () => {
    place = await BackupPlace.on(kind, BACKED_UP);
  });
  afterEach(() => place.dispose());

  /** Variables of a machine with the key of the operator. */
  const holding = (at: BackupPlace, operatorKey: Buffer): Record<string, string> => {
    const file = at.work.path('key');
    writeFileSync(file, operatorKey.toString('hex'), { mode: 0o600 });
    return { SVC_ENCRYPTION_KEY_FILE: file };
  };

  it('are refused with a reason by a new store, which takes only keys that no store uses', async () => {
    const env = holding(place, key);
    const file = place.work.path(KEYS);
    await (await place.start(env)).end();
    const used = readFileSync(file, 'utf8');
    const other = await BackupPlace.on(kind, BACKED_UP);
    try {
      const others = holding(other, key);
      const given = other.work.path(KEYS);
      mkdirSync(dirname(given), { recursive: true });
      writeFileSync(given, used);
      for (const command of [['start'], ['init'], ['plugins', 'doctor']]) {
        const { exitCode, stdout, stderr } = await other.run(command, others);
        expect(exitCode, command.join(' ')).to.equal(1);
        expect(stdout + stderr).to.match(
          /the content keys in \S+ belong to another store, and this store is new\n *hint: /,
        );
      }
      expect(readFileSync(given, 'utf8')).to.equal(used);
      // A start that was cut off before it made the store leaves keys that no store uses.
      writeFileSync(given, await spellKeys(freshKeys(), memoryKeySource(key), { isUnused: true }));
      const begun = await other.run(['init'], others);
      expect(begun.exitCode, begun.stderr).to.equal(0);
      expect(JSON.parse(readFileSync(given, 'utf8'))).to.not.have.property('unused');
    } finally {
      await other.dispose();
    }
  }).timeout(LIMIT_MS);
});
