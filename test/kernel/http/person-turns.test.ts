import { expect } from 'chai';
import fc from 'fast-check';
import {
  CHEAP_COST,
  MAX_PERSON_COST,
  MAX_TOTAL_COST,
  MAX_WAITING,
  PersonTurns,
} from '../../../kernel/http/person-turns.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';

const person = (name: string) => ({ tenantId: 'default', entityUri: name });
const A = person('agent:a');
const B = person('agent:b');
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Requests that end when the test says so, in the order in which they started. */
class Requests {
  readonly turns = new PersonTurns();
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  send(name: string, of: typeof A, cost: number): Promise<void> {
    return this.turns.run(of, cost, () => {
      this.started.push(name);
      return new Promise<void>((end) => this.#ends.set(name, end));
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await nextTurn();
    await nextTurn();
  }
}

describe('The limits on concurrent work of one person', () => {
  let requests: Requests;
  beforeEach(() => {
    requests = new Requests();
  });

  it('start requests while the total cost of the person is within the limit, in order of arrival', async () => {
    for (const name of ['1', '2', '3', '4']) void requests.send(name, A, MAX_PERSON_COST / 2);
    for (let turn = 0; turn < 6; turn += 1) await nextTurn();
    expect(requests.started).to.deep.equal(['1', '2']);
    await requests.end('2');
    expect(requests.started).to.deep.equal(['1', '2', '3']);
    expect(requests.turns.costOf(A)).to.equal(MAX_PERSON_COST);
    expect(requests.turns.costOf({ ...B, onBehalfOf: A.entityUri })).to.equal(MAX_PERSON_COST);
  });

  it('let a request that costs more than the limit run alone', async () => {
    void requests.send('large', A, 5 * MAX_PERSON_COST);
    void requests.send('next', A, CHEAP_COST + 1);
    await nextTurn();
    expect(requests.started).to.deep.equal(['large']);
    await requests.end('large');
    expect(requests.started).to.deep.equal(['large', 'next']);
  });

  it('start a cheap request at once, while costly ones of the person wait', async () => {
    for (const name of ['1', '2', '3']) void requests.send(name, A, MAX_PERSON_COST);
    void requests.send('cheap', A, 1);
    expect(requests.started).to.deep.equal(['1', 'cheap']);
  });

  it('bound the cheap requests of one person too', async () => {
    for (let at = 0; at < 100; at += 1) void requests.send(String(at), A, CHEAP_COST);
    expect(requests.turns.costOf(A)).to.equal(2 * MAX_PERSON_COST);
    await requests.end('0');
    expect(requests.started).to.have.length(2 * (MAX_PERSON_COST / CHEAP_COST));
  });

  it('start one costly request per turn of the event loop, alternating between persons', async () => {
    for (const name of ['a1', 'a2', 'a3']) void requests.send(name, A, 100);
    for (const name of ['b1', 'b2']) void requests.send(name, B, 100);
    const seen: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      seen.push(requests.started.length);
      await nextTurn();
    }
    expect(seen).to.deep.equal([1, 2, 3, 4, 5]);
    expect(requests.started).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('bound the total cost of all persons, and lose no request', async () => {
    const count = 2 * (MAX_TOTAL_COST / MAX_PERSON_COST);
    const names = Array.from({ length: count }, (_, at) => `person ${at}`);
    for (const name of names) void requests.send(name, person(name), MAX_PERSON_COST);
    for (let turn = 0; turn < 2 * count; turn += 1) await nextTurn();
    expect(requests.started).to.have.length(count / 2);
    expect(requests.turns.costOf()).to.equal(MAX_TOTAL_COST);
    for (const name of names) await requests.end(name);
    expect(requests.started).to.deep.equal(names);
    expect(requests.turns.costOf()).to.equal(0);
  });

  it('refuse a request when too many wait, and say when to retry', async () => {
    for (let at = 0; at <= MAX_WAITING; at += 1) void requests.send(String(at), A, MAX_PERSON_COST);
    const refused = await rejection(requests.send('one more', A, MAX_PERSON_COST));
    expect(refused).to.include({ code: 'unavailable' });
    void requests.send('of another', B, MAX_PERSON_COST);
    await nextTurn();
    expect(requests.started).to.deep.equal(['0', 'of another']);
  });

  it('complete every request of a random crowd, and the cost never exceeds the limits', async () => {
    const crowd = fc.array(fc.record({ of: fc.nat(3), cost: fc.integer({ min: 0, max: 1_500 }), steps: fc.nat(3) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(crowd, async (sent) => {
        const turns = new PersonTurns();
        let ended = 0;
        await Promise.all(
          sent.map(({ of, cost, steps }) =>
            turns.run(person(`agent:${of}`), cost, async () => {
              expect(turns.costOf(person(`agent:${of}`))).to.be.at.most(2 * MAX_PERSON_COST + 1_500);
              for (let step = 0; step < steps; step += 1) await nextTurn();
              ended += 1;
            }),
          ),
        );
        expect([ended, turns.costOf()]).to.deep.equal([sent.length, 0]);
      }),
      { numRuns: RUNS },
    );
  });
});
