import { expect } from 'chai';
import { REJECTIONS_PER_MINUTE, RejectionWindows } from '../../../kernel/time/rejection-windows.ts';

const ENTRY: { readonly detail: Readonly<Record<string, unknown>> } = { detail: { dimension: 'recall' } };

describe('the limit on audit entries about rejections', () => {
  it('admits a fixed number per minute, and reports in the next minute how many it omitted', () => {
    const windows = new RejectionWindows();
    const admit = (nowMs: number) => windows.admit(['agent:a'], ENTRY, nowMs);
    const admitted = Array.from({ length: REJECTIONS_PER_MINUTE + 5 }, () => admit(1_000));
    expect(admitted.filter((kept) => kept !== null)).to.have.length(REJECTIONS_PER_MINUTE);
    expect(admit(60_999)).to.equal(null);
    expect(admit(61_000)?.detail).to.deep.equal({ dimension: 'recall', suppressed: 6 });
    expect(admit(61_000)?.detail).to.deep.equal({ dimension: 'recall' });
  });

  it('counts every sender separately, even if their parts join to the same text', () => {
    const windows = new RejectionWindows(1);
    expect(windows.admit(['a', 'b'], ENTRY, 0)).not.to.equal(null);
    expect(windows.admit(['a', 'b'], ENTRY, 0)).to.equal(null);
    expect(windows.admit(['ab'], ENTRY, 0)).not.to.equal(null);
    expect(windows.admit(['a', 'b', null], ENTRY, 0)).not.to.equal(null);
  });

  it('admits the configured number of entries per minute', () => {
    const windows = new RejectionWindows(3);
    const admitted = Array.from({ length: 5 }, () => windows.admit(['agent:a'], ENTRY, 0));
    expect(admitted.filter((kept) => kept !== null)).to.have.length(3);
  });

  it('uses bounded memory for any number of senders', () => {
    const windows = new RejectionWindows(1);
    for (let at = 0; at < 2; at += 1) windows.admit(['agent:first'], ENTRY, 0);
    for (let at = 0; at < 5_000; at += 1) windows.admit([`agent:${at}`], ENTRY, 0);
    expect(windows.admit(['agent:first'], ENTRY, 0), 'the oldest window was dropped').not.to.equal(null);
  });
});
