import { expect } from 'chai';
import { refusalOf } from '../../../adapters/koa/judge-target.ts';

describe('a host name that does not resolve', () => {
  const nowhere = async () => Promise.reject(new Error('ENOTFOUND'));
  const inside = async () => [{ address: '10.0.0.1', family: 4 as const }];
  const rules = { allowPrivate: false };

  it('is refused as an address to call', async () => {
    expect(await refusalOf('https://beta.example', rules, nowhere)).to.equal('the name of the host has no address');
  });

  it('is accepted if the caller retries, because it may resolve later', async () => {
    expect(await refusalOf('https://beta.example', { ...rules, maybeLater: true }, nowhere)).to.equal(undefined);
  });

  it('gives no access to private addresses, even if the caller retries', async () => {
    for (const [url, resolve] of [
      ['https://beta.example', inside],
      ['https://10.0.0.1', nowhere],
      ['https://beta.internal', nowhere],
      ['http://beta.example', nowhere],
    ] as const) {
      expect(await refusalOf(url, { ...rules, maybeLater: true }, resolve), url).to.be.a('string');
    }
  });
});
