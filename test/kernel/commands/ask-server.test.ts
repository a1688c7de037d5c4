import { expect } from 'chai';
import { askServer } from '../../../kernel/commands/ask-server.ts';

const refused = async (document: object): Promise<string> => {
  const text = JSON.stringify(document);
  const reply = { status: 422, text, document: { ...document }, header: () => 'x' };
  try {
    await askServer({ send: async () => reply }, { method: 'GET', path: '/v1/facts' });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('the refusal of a node in a command', () => {
  it('says a single violation once, and lists several', async () => {
    const first = { path: 'query.as_of', message: 'must be an instant' };
    const second = { path: 'query.limit', message: 'must be a number' };
    expect(await refused({ detail: 'query.as_of must be an instant', errors: [first] })).to.equal(
      'query.as_of must be an instant',
    );
    expect(await refused({ detail: 'two faults', errors: [first, second] })).to.equal(
      'two faults\n  query.as_of must be an instant\n  query.limit must be a number',
    );
  });
});
