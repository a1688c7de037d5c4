import { expect } from 'chai';
import { waitUntil } from '../../kit/wait-until.ts';
import { Load } from './asserting-load.ts';
import { BACKED_UP, BackupPlace } from './backup-place.ts';
import { chainsIn, incrementsIn } from './sent-increments.ts';

const LIMIT_MS = 240_000;
const ROUNDS = 4;

describe('a node on SQLite that is killed again and again under load', () => {
  let from: BackupPlace;
  let to: BackupPlace;
  beforeEach(async () => {
    from = await BackupPlace.on('sqlite', BACKED_UP);
    to = await BackupPlace.on('sqlite', BACKED_UP);
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
  });

  it('goes on with one chain of increments, and a restore loses only facts that are newer than the last one', async () => {
    const target = from.work.path('target');
    const env = { SVC_BACKUP_TARGET: target, SVC_BACKUP_INCREMENT_SECONDS: '1' };
    const sent = (): string[] => chainsIn(target).flatMap((chain) => incrementsIn(target, chain));
    const loads: Load[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const node = await from.startApart(env);
      const load = new Load(node, `r${round}`);
      loads.push(load);
      const count = Math.floor(Math.random() * 60);
      const isFirst = round === 0;
      await waitUntil('some facts are there', LIMIT_MS, () => load.acknowledged.length >= count);
      if (isFirst) await waitUntil('increments are sent', LIMIT_MS, () => sent().length > 2);
      await node.end('SIGKILL');
      await load.stop();
      // The last increment was read after the time that the one before it names.
      const sentMs = Number(sent().at(-2)?.split('-')[1]);
      if (isFirst) to.takeKeys(from);
      const restored = await to.run(['restore', '--from', target, '--at', 'latest', '--replace']);
      expect(restored.exitCode, restored.stderr).to.equal(0);
      const ids = new Set((await to.rows()).get('facts')?.map((row) => JSON.parse(row).id));
      const acknowledged = loads.flatMap((one) =>
        one.acknowledged.map((id, at) => ({ id, ms: one.acknowledgedMs[at] })),
      );
      const sure = acknowledged.filter(({ ms = 0 }) => ms < sentMs);
      expect(sure.filter(({ id }) => !ids.has(id))).to.deep.equal([]);
      // The first increment after a start holds all facts of earlier starts.
      if (sent().filter((name) => name.endsWith('-resumed')).length === round) {
        const former = loads.slice(0, -1).flatMap((one) => one.acknowledged);
        expect(former.filter((id) => !ids.has(id))).to.deep.equal([]);
      }
    }
    expect(chainsIn(target)).to.have.length(1);
    const whole = await to.run(['verify']);
    expect(whole.exitCode, whole.stdout).to.equal(0);
  }).timeout(LIMIT_MS);
});
