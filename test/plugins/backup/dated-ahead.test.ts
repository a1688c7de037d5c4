import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { waitUntil } from '../../kit/wait-until.ts';
import { BACKED_UP, BackupPlace } from './backup-place.ts';

const LIMIT_MS = 120_000;
const KEY = 'dated-ahead-0123456789abcdef0123456789abcdef';

/** Gives a backup the name that it has when the clock was far ahead. */
const dateAhead = (path: string, digit: number): string => {
  const ahead = join(dirname(path), `backup-2999${basename(path).slice(11, -1)}${digit}`);
  renameSync(path, ahead);
  return ahead;
};

describe('backups from when the clock was far ahead', () => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on('sqlite', { ...BACKED_UP, metrics: true });
  });
  afterEach(() => place.dispose());

  it('take no place of the backups after them, and no drill', async () => {
    await (await place.start()).end();
    const ahead = [dateAhead(await place.backUp(), 1), dateAhead(await place.backUp(), 2)];
    const keep = { SVC_BACKUP_KEEP: '2' };
    const made: string[] = [];
    for (let at = 0; at < 3; at += 1) made.push((await place.run(['backup'], keep)).stdout.trim());
    expect(made.map(existsSync), 'the newest two stay').to.deep.equal([false, true, true]);
    expect(ahead.map(existsSync)).to.deep.equal([true, true]);
    const drilled = await place.run(['backup', 'drill']);
    expect(drilled.stdout).to.include(`${basename(made[2] ?? '')}: restored`);
    const pruned = await place.run(['backup', 'prune', '--keep', '1']);
    expect(pruned.stdout.trim()).to.equal(basename(made[1] ?? ''));
  }).timeout(LIMIT_MS);

  it('leave the age of the newest one before the present time to the metric', async () => {
    const node = await place.start({ SVC_BOOTSTRAP_KEY: KEY });
    dateAhead(await place.backUp(), 1);
    const ages = async (): Promise<string[]> => {
      const reply = await fetch(`${node.url}/v1/metrics`, { headers: { Authorization: `Bearer ${KEY}` } });
      return (await reply.text()).split('\n').filter((line) => /^svc_backup_age_seconds /.test(line));
    };
    expect(await ages()).to.deep.equal([]);
    await place.backUp();
    await waitUntil('the new backup has an age', LIMIT_MS, async () => (await ages()).length === 1);
    await node.end();
  }).timeout(LIMIT_MS);
});
