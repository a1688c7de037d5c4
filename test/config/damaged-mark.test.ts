import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys, remember, succeed } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 240_000;
const ID = '"id":"0b3a1f0e-6f0f-4c7e-9f57-0f4f2a6d1c11"';

/** Marks that no node has written. */
const MARKS: Readonly<Record<string, string>> = {
  'no JSON': 'no JSON',
  'nothing at all': '',
  null: 'null',
  'a list': '[1, 2]',
  'a text': '"sealed"',
  'an empty object': '{}',
  'an id of a wrong type': '{"id":7,"version":1,"root":1}',
  'no version': `{${ID},"root":1}`,
  'a negative version': `{${ID},"version":-1,"root":1}`,
  'a broken version': `{${ID},"version":1.5,"root":1}`,
  'a huge version': `{${ID},"version":1e999,"root":1}`,
  'a version as a text': `{${ID},"version":"1","root":1}`,
  'no root': `{${ID},"version":1,"root":null}`,
  'a deep list': '['.repeat(50_000),
};

const CONVERSIONS: Readonly<Record<string, string>> = {
  'no JSON': 'rotate',
  'an unknown conversion': '{"to":"sideways","table":null,"after":null}',
  'a table of a wrong type': '{"to":"rotate","table":7,"after":null}',
  'a place of a wrong type': '{"to":"rotate","table":"facts","after":[{}]}',
};

const COMMANDS = [['start'], ['encryption', 'status'], ['encryption', 'rotate'], ['verify'], ['backup']];

forEachStore('a store with a damaged row about its seal', (kind) => {
  let place: BackupPlace;
  let env: Record<string, string>;
  before(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs'));
    env = holdKeys(place, randomBytes(32));
    await remember(place, env, ['user:a', 'something']);
  });
  after(() => place.dispose());

  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const expectRefused = async (key: string, commands: readonly string[][]): Promise<void> => {
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await place.run(command, env);
      const told = `${command.join(' ')}: ${stdout}${stderr}`;
      expect(exitCode, told).to.equal(1);
      expect(told).to.include(`the row ${key} of the table node_settings is damaged`).and.include('hint: ');
      expect(told, 'no stack trace').to.not.match(/^\s+at /m);
    }
  };

  it('is refused by every command, which names the row and what to do', async () => {
    const backup = await succeed(place, env, 'backup');
    // One more command for each mark, because a process for each of them would take minutes.
    for (const [at, text] of Object.values(MARKS).entries()) {
      await place.tamper(`UPDATE node_settings SET value = ${literal(text)} WHERE key = 'content_seal'`);
      await expectRefused('content_seal', [COMMANDS[at % COMMANDS.length] as string[]]);
    }
    await succeed(place, env, 'restore', backup, '--replace');
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('is refused where the row is gone, so that nothing is stored in the clear', async () => {
    const backup = await succeed(place, env, 'backup');
    await place.tamper("DELETE FROM node_settings WHERE key = 'content_seal'");
    await expectRefused('content_seal', COMMANDS);
    await succeed(place, env, 'restore', backup, '--replace');
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('is refused as well where the row of a conversion or of former keys is damaged', async () => {
    for (const [key, texts] of [
      ['content_seal_conversion', CONVERSIONS],
      ['content_seal_former', { 'no JSON': 'no JSON' }],
    ] as const) {
      for (const text of Object.values(texts)) {
        await place.tamper(`INSERT INTO node_settings (key, value) VALUES ('${key}', ${literal(text)})`);
        await expectRefused(key, [['start'], ['encryption', 'rotate']]);
        await place.tamper(`DELETE FROM node_settings WHERE key = '${key}'`);
      }
    }
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);
});
