import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { shownAddress } from '../../../adapters/postgres/shown-address.ts';
import { rejection } from '../../kit/rejection.ts';

/** Returns the message of a store at an address where nothing is. */
const failureAt = async (url: string): Promise<string> => {
  const store = createPostgresStore({ url });
  try {
    return (await rejection(store.ping())).message;
  } finally {
    await store.close();
  }
};

describe('the address of a PostgreSQL store', () => {
  it('may name a Unix socket, in each form that libpq accepts', async () => {
    for (const url of [
      'postgres://svc:geheim@%2Fnowhere/facts',
      'postgres:///facts?host=/nowhere&user=svc',
      'postgres://svc:geheim@/facts?host=/nowhere',
      'postgresql://svc@/facts?host=/nowhere',
    ]) {
      expect(await failureAt(url), url).to.equal('there is no socket where the database should be');
      expect(shownAddress(url), url)
        .to.match(/(%2F|\/)nowhere\/facts$/)
        .and.not.to.contain('geheim');
    }
  });

  it('is refused when it is malformed, with an example of the right form', () => {
    for (const url of [
      'postgres://svc:p#x@127.0.0.1/facts',
      'postgres://svc:geheim@/facts',
      'postgres://127.0.0.1:x/f',
    ]) {
      expect(() => createPostgresStore({ url }), url)
        .to.throw('the address of the database is not a postgres:// URL')
        .with.property('hint')
        .that.includes('percent-encoded');
    }
  });
});
