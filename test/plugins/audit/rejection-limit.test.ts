import { expect } from 'chai';
import { ADMIN_ACTION, type AuditEntry, REJECTIONS_PER_MINUTE } from '../../../plugins/audit/audit-api.ts';
import { RejectionLimit } from '../../../plugins/audit/rejection-limit.ts';

const entry = (entityUri: string): AuditEntry => ({
  event: ADMIN_ACTION,
  tenantId: 'default',
  entityUri,
  detail: { dimension: 'recall' },
});

describe('the limit on entries about refusals', () => {
  it('lets so many through in a minute, and the next minute tells how many were left out', () => {
    const limit = new RejectionLimit();
    const admitted = Array.from({ length: REJECTIONS_PER_MINUTE + 5 }, () => limit.admit(entry('agent:a'), 1_000));
    expect(admitted.filter((kept) => kept !== null)).to.have.length(REJECTIONS_PER_MINUTE);
    expect(limit.admit(entry('agent:a'), 60_999)).to.equal(null);
    expect(limit.admit(entry('agent:a'), 61_000)?.detail).to.deep.equal({ dimension: 'recall', suppressed: 6 });
    expect(limit.admit(entry('agent:a'), 61_000)?.detail).to.deep.equal({ dimension: 'recall' });
  });

  it('counts every entity by itself', () => {
    const limit = new RejectionLimit();
    for (let at = 0; at <= REJECTIONS_PER_MINUTE; at += 1) limit.admit(entry('agent:a'), 0);
    expect(limit.admit(entry('agent:a'), 0)).to.equal(null);
    expect(limit.admit(entry('agent:b'), 0)).not.to.equal(null);
  });

  it('stays small whatever number of names it is asked about', () => {
    const limit = new RejectionLimit();
    for (let at = 0; at <= REJECTIONS_PER_MINUTE; at += 1) limit.admit(entry('agent:first'), 0);
    for (let at = 0; at < 5_000; at += 1) limit.admit(entry(`agent:${at}`), 0);
    expect(limit.admit(entry('agent:first'), 0), 'the oldest window was dropped').not.to.equal(null);
  });
});
