import { expect } from 'chai';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditEntry } from '../../../plugins/audit/audit-api.ts';
import { EntryBuffer, GROUP_MS, MOST_WAITING } from '../../../plugins/audit/entry-buffer.ts';
import { ErasedTenant } from '../../../ports/ports.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { rejection } from '../../kit/rejection.ts';

const entry = (n: number, tenantId = 'default'): AuditEntry => ({
  event: ADMIN_ACTION,
  tenantId,
  entityUri: `agent:${n}`,
});

describe('buffered audit entries', () => {
  let clock: ManualClock;
  let stored: string[][];
  let failure: ServiceError | undefined;
  let buffer: EntryBuffer;
  beforeEach(() => {
    clock = createManualClock();
    stored = [];
    failure = undefined;
    buffer = new EntryBuffer({
      clock,
      log: createMemoryLogger([]),
      store: async (entries, tenantId) => {
        if (failure !== undefined) throw failure;
        stored.push([tenantId, ...entries.map(({ entityUri }) => entityUri)]);
      },
    });
  });

  it('are stored with all entries of their tenant when the delay is over', async () => {
    for (const one of [entry(1), entry(2, 'acme'), entry(3)]) await buffer.add(one);
    await clock.advance(GROUP_MS - 1);
    expect(stored).to.deep.equal([]);
    await clock.advance(1);
    expect(stored).to.deep.equal([
      ['default', 'agent:1', 'agent:3'],
      ['acme', 'agent:2'],
    ]);
    await buffer.add(entry(4));
    await clock.advance(GROUP_MS);
    expect(stored.at(-1)).to.deep.equal(['default', 'agent:4']);
  });

  it('are stored at once when a caller reads the log', async () => {
    await buffer.add(entry(1));
    await buffer.add(entry(2, 'acme'));
    await buffer.settle('default');
    expect(stored).to.deep.equal([['default', 'agent:1']]);
    await buffer.settleAll();
    expect(stored).to.deep.equal([
      ['default', 'agent:1'],
      ['acme', 'agent:2'],
    ]);
    await clock.advance(10 * GROUP_MS);
    expect(stored).to.have.length(2);
  });

  it('are stored before the buffer exceeds its capacity', async () => {
    for (let n = 0; n <= MOST_WAITING; n += 1) await buffer.add(entry(n));
    expect(stored.map((group) => group.length - 1)).to.deep.equal([MOST_WAITING]);
  });

  it('are refused while earlier entries cannot be stored, and no earlier entry is lost', async () => {
    await buffer.add(entry(1));
    failure = new ServiceError('unavailable', 'the disk is full');
    await clock.advance(GROUP_MS);
    expect(await rejection(buffer.add(entry(2)))).to.equal(failure);
    expect(await rejection(buffer.settle('default'))).to.equal(failure);
    await buffer.add(entry(3, 'acme'));
    failure = undefined;
    await buffer.add(entry(4));
    expect(stored).to.deep.equal([['default', 'agent:1']]);
    await buffer.settleAll();
    expect(stored).to.deep.include.members([
      ['acme', 'agent:3'],
      ['default', 'agent:4'],
    ]);
  });

  it('are stored by a retry after a failure', async () => {
    await buffer.add(entry(1));
    failure = new ServiceError('unavailable', 'the disk is full');
    await clock.advance(GROUP_MS);
    failure = undefined;
    await clock.advance(10 * GROUP_MS);
    expect(stored).to.deep.equal([['default', 'agent:1']]);
  });

  it('of a removed tenant do not delay those of other tenants', async () => {
    await buffer.add(entry(1, 'gone'));
    failure = new ErasedTenant();
    await clock.advance(GROUP_MS);
    failure = undefined;
    await buffer.settleAll();
    expect(stored).to.deep.equal([]);
  });
});
