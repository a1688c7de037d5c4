import { expect } from 'chai';
import { judgeStatus, nextPause } from '../../../plugins/subscriptions/retry-plan.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 9);
const failed = (attempts: number, more: Partial<Parameters<typeof nextPause>[0]> = {}) =>
  nextPause({ attempts, retryAfter: undefined, fraction: 0.5, nowMs: NOW_MS, endMs: NOW_MS + 3_600_000, ...more });

describe('the pause before a failed delivery is repeated', () => {
  it('grows from five seconds to half an hour over six attempts', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((attempts) => failed(attempts));
    expect(pauses).to.deep.equal([5_000, 30_000, 120_000, 600_000, 1_800_000, undefined]);
  });

  it('varies randomly by up to a fifth', () => {
    expect([failed(1, { fraction: 0 }), failed(1, { fraction: 1 })]).to.deep.equal([4_000, 6_000]);
  });

  it('is as long as the Retry-After header requests, up to an hour, in seconds or as a date', () => {
    const endMs = NOW_MS + 7_200_000;
    expect(failed(1, { retryAfter: '90' })).to.equal(90_000);
    expect(failed(1, { retryAfter: '1' })).to.equal(5_000);
    expect(failed(1, { retryAfter: '999999', endMs })).to.equal(3_600_000);
    expect(failed(1, { retryAfter: 'Mon, 02 Mar 2026 09:02:00 GMT' })).to.equal(120_000);
    expect(failed(1, { retryAfter: 'soon' })).to.equal(5_000);
  });

  it('never exceeds the replay window', () => {
    expect(failed(1, { endMs: NOW_MS + 5_000 })).to.equal(undefined);
    expect(failed(1, { endMs: NOW_MS + 5_001 })).to.equal(5_000);
  });

  it('applies to temporary failures only, not to refusals by the webhook', () => {
    expect([200, 204, 299].map(judgeStatus)).to.deep.equal(['delivered', 'delivered', 'delivered']);
    expect([301, 308, 408, 425, 429, 500, 503, 100].map(judgeStatus)).to.deep.equal(Array(8).fill('again'));
    expect([400, 401, 404, 422].map(judgeStatus)).to.deep.equal(Array(4).fill('refused'));
    expect(judgeStatus(410)).to.equal('gone');
  });
});
