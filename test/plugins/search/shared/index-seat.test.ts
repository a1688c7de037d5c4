import { once } from 'node:events';
import { linkSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Seat, takeSeat } from '../../../../plugins/search/shared/index-seat.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';

const PROCESSES = 8;

describe('the socket by which one process offers its search index to the others', () => {
  const askAll = (folder: string, pool = 'pool', givenUp?: number): Promise<Seat[]> =>
    Promise.all(
      Array.from({ length: PROCESSES }, (_, place) =>
        takeSeat({ folder, pool, place, givenUp, accept: (socket) => void socket.resume() }),
      ),
    );
  const serversOf = (seats: readonly Seat[]) => seats.flatMap((seat) => ('server' in seat ? [seat.server] : []));
  const leave = async (seats: readonly Seat[]): Promise<void> => {
    for (const seat of seats) if ('socket' in seat) seat.socket.destroy();
    for (const server of serversOf(seats)) await once(server.close(), 'close');
  };

  it('is taken by exactly one process, and by exactly one again after that process has left', () =>
    inTemporaryFolder(async (folder) => {
      for (let round = 0; round < 3; round += 1) {
        const seats = await askAll(folder);
        expect(serversOf(seats)).to.have.length(1);
        await leave(seats);
      }
    }));

  it('is taken by exactly one process after its holder died', () =>
    inTemporaryFolder(async (folder) => {
      const before = await askAll(folder);
      // The system keeps the socket of a dead process.
      linkSync(join(folder, 'pool-0.sock'), join(folder, 'kept'));
      await leave(before);
      renameSync(join(folder, 'kept'), join(folder, 'pool-0.sock'));

      const seats = await askAll(folder);
      expect(serversOf(seats)).to.have.length(1);
      expect(readdirSync(folder)).to.deep.equal(['pool-1.sock']);
      await leave(seats);
    }));

  it('is taken by one of the processes that gave up on a silent holder; the others connect to that one', () =>
    inTemporaryFolder(async (folder) => {
      const before = await askAll(folder);
      const after = await askAll(folder, 'pool', 0);
      expect(serversOf(after)).to.have.length(1);
      expect(after.map(({ number }) => number)).to.deep.equal(Array.from({ length: PROCESSES }, () => 1));
      await leave(after);
      await leave(before);
      expect(readdirSync(folder)).to.deep.equal([]);
    }));

  it('can be opened only by its own user, and no other file stays beside it', () =>
    inTemporaryFolder(async (folder) => {
      const seats = await askAll(folder);
      const names = readdirSync(folder);
      expect(names).to.deep.equal(['pool-0.sock']);
      expect(statSync(join(folder, 'pool-0.sock')).mode & 0o777).to.equal(0o600);
      await leave(seats);
    }));

  it('is separate for each worker pool', () =>
    inTemporaryFolder(async (folder) => {
      const [some, others] = [await askAll(folder, 'some'), await askAll(folder, 'others')];
      expect([serversOf(some), serversOf(others)].map(({ length }) => length)).to.deep.equal([1, 1]);
      await leave(some);
      await leave(others);
    }));
});
