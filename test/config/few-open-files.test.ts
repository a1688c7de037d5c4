import { expect } from 'chai';
import { tooFewOpenFiles } from '../../config/few-open-files.ts';

const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

describe('a program that may open too few files to load itself', () => {
  it('says so, and how to raise the limit', () => {
    for (const code of ['EMFILE', 'ENFILE']) {
      expect(tooFewOpenFiles(failure(code))).to.match(/^error: .* too few files at once\nhint: raise the limit .*\n$/);
    }
  });

  it('reports any other failure as it is', () => {
    expect(tooFewOpenFiles(failure('ERR_MODULE_NOT_FOUND'))).to.equal(undefined);
  });
});
