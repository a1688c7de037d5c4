import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { errorReport } from '../../../adapters/cli/report-error.ts';
import { refuseAll } from '../../../kernel/problems/refusals.ts';

describe('the report of an error to a person', () => {
  it('says a single violation once, and lists several', () => {
    const first = { path: 'query.as_of', message: 'must be an instant' };
    const second = { path: 'query.limit', message: 'must be a number' };
    expect(errorReport(refuseAll([first]))).to.equal('error: query.as_of must be an instant\n');
    expect(errorReport(refuseAll([first, second]))).to.contain(
      '\n  query.as_of: must be an instant\n  query.limit: must be a number\n',
    );
  });

  it('says in words that a file is missing', () => {
    let report = '';
    try {
      readFileSync('/nowhere/a.token');
    } catch (error) {
      report = errorReport(error);
    }
    expect(report).to.equal('error: there is no file or folder /nowhere/a.token\n');
  });
});
