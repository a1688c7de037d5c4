import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditEntry } from '../../../plugins/audit/audit-api.ts';
import { GROUP_MS, MOST_WAITING, SoonRecorded } from '../../../plugins/audit/soon-recorded.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { rejection } from '../../kit/rejection.ts';

const entry = (n: number, tenantId = 'default'): AuditEntry => ({
  event: ADMIN_ACTION,
  tenantId,
  entityUri: `agent:${n}`,
});

describe('entries that are recorded soon', () => {
  let clock: ManualClock;
  let stored: string[][];
  let failure: ServiceError | undefined;
  let soon: SoonRecorded;
  beforeEach(() => {
    clock = createManualClock();
    stored = [];
    failure = undefined;
    soon = new SoonRecorded({
      clock,
      log: createMemoryLogger([]),
      store: async (entries, tenantId) => {
        if (failure !== undefined) throw failure;
        stored.push([tenantId, ...entries.map(({ entityUri }) => entityUri)]);
      },
    });
  });

  it('are stored together with the others of their tenant when their time is up', async () => {
    for (const one of [entry(1), entry(2, 'acme'), entry(3)]) await soon.add(one);
    await clock.advance(GROUP_MS - 1);
    expect(stored).to.deep.equal([]);
    await clock.advance(1);
    expect(stored).to.deep.equal([
      ['default', 'agent:1', 'agent:3'],
      ['acme', 'agent:2'],
    ]);
    await soon.add(entry(4));
    await clock.advance(GROUP_MS);
    expect(stored.at(-1)).to.deep.equal(['default', 'agent:4']);
  });

  it('are stored at once when somebody wants to see the log', async () => {
    await soon.add(entry(1));
    await soon.add(entry(2, 'acme'));
    await soon.settle('default');
    expect(stored).to.deep.equal([['default', 'agent:1']]);
    await soon.settleAll();
    expect(stored).to.deep.equal([
      ['default', 'agent:1'],
      ['acme', 'agent:2'],
    ]);
    await clock.advance(10 * GROUP_MS);
    expect(stored).to.have.length(2);
  });

  it('are stored before more than a group of them wait', async () => {
    for (let n = 0; n <= MOST_WAITING; n += 1) await soon.add(entry(n));
    expect(stored.map((group) => group.length - 1)).to.deep.equal([MOST_WAITING]);
  });

  it('are refused while those before them cannot be stored, and none of those is lost', async () => {
    await soon.add(entry(1));
    failure = new ServiceError('unavailable', 'the disk is full');
    await clock.advance(GROUP_MS);
    expect(await rejection(soon.add(entry(2)))).to.equal(failure);
    expect(await rejection(soon.settle('default'))).to.equal(failure);
    await soon.add(entry(3, 'acme'));
    failure = undefined;
    await soon.add(entry(4));
    expect(stored).to.deep.equal([['default', 'agent:1']]);
    await soon.settleAll();
    expect(stored).to.deep.include.members([
      ['acme', 'agent:3'],
      ['default', 'agent:4'],
    ]);
  });

  it('are stored again by themselves after a failure', async () => {
    await soon.add(entry(1));
    failure = new ServiceError('unavailable', 'the disk is full');
    await clock.advance(GROUP_MS);
    failure = undefined;
    await clock.advance(10 * GROUP_MS);
    expect(stored).to.deep.equal([['default', 'agent:1']]);
  });

  it('of a tenant that was removed are in nobody’s way', async () => {
    await soon.add(entry(1, 'gone'));
    failure = new ServiceError('authorization', 'the tenant was removed');
    await clock.advance(GROUP_MS);
    failure = undefined;
    await soon.settleAll();
    expect(stored).to.deep.equal([]);
  });
});
