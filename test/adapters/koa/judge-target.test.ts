import { expect } from 'chai';
import { refusalOf } from '../../../adapters/koa/judge-target.ts';

describe('a name that leads nowhere', () => {
  const nowhere = async () => Promise.reject(new Error('ENOTFOUND'));
  const inside = async () => [{ address: '10.0.0.1', family: 4 as const }];
  const rules = { allowPrivate: false };

  it('is refused as an address to call', async () => {
    expect(await refusalOf('https://beta.example', rules, nowhere)).to.equal('the name of the host has no address');
  });

  it('may lead somewhere later, where the caller tries again', async () => {
    expect(await refusalOf('https://beta.example', { ...rules, maybeLater: true }, nowhere)).to.equal(undefined);
  });

  it('opens no way inside for callers that try again', async () => {
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
