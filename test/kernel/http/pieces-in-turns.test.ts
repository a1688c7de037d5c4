import { expect } from 'chai';
import { MAX_PERSON_COST, PersonTurns } from '../../../kernel/http/person-turns.ts';
import { inPieces } from '../../../kernel/http/pieces-in-turns.ts';
import { createGate } from '../../kit/create-gate.ts';
import { rejection } from '../../kit/rejection.ts';

const PERSON = { tenantId: 'default', entityUri: 'agent:a' };

describe('A streamed reply that is costly to compute', () => {
  let turns: PersonTurns;
  beforeEach(() => {
    turns = new PersonTurns();
  });

  const pieceTurns = (signal = new AbortController().signal) => ({
    turns,
    person: PERSON,
    cost: MAX_PERSON_COST,
    request: { signal },
  });

  /** Opens a stream, and returns what happens to it: the cost in progress while a piece is made, and the end. */
  const open = (pieces: readonly string[], signal?: AbortSignal) => {
    const seen: (number | string)[] = [];
    const source = async function* () {
      try {
        for (const piece of pieces) {
          seen.push(turns.costOf(PERSON));
          yield piece;
        }
      } finally {
        seen.push('end');
      }
    };
    const { text } = inPieces({ status: 200, text: source() }, pieceTurns(signal));
    return { seen, stream: (text as AsyncIterable<string>)[Symbol.asyncIterator]() };
  };

  it("occupies its person's capacity while it computes a piece, not while a slow client reads", async () => {
    const { seen, stream } = open(['one', 'two']);
    for (const value of ['one', 'two']) {
      expect(await stream.next()).to.deep.equal({ done: false, value });
      expect(turns.costOf()).to.equal(0);
    }
    expect((await stream.next()).done).to.equal(true);
    expect([...seen, turns.costOf()]).to.deep.equal([MAX_PERSON_COST, MAX_PERSON_COST, 'end', 0]);
  });

  it('computes no piece while another costly request of the person runs', async () => {
    const { seen, stream } = open(['one']);
    let end: () => void = () => {};
    const other = turns.run(
      PERSON,
      MAX_PERSON_COST,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const next = stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).to.deep.equal([]);
    end();
    await other;
    expect((await next).value).to.equal('one');
  });

  it('computes no piece for a client that went away while the piece waited', async () => {
    const client = new AbortController();
    const { seen, stream } = open(['one'], client.signal);
    const { passed: running, open: end } = createGate();
    const other = turns.run(PERSON, MAX_PERSON_COST, () => running);
    const next = stream.next();
    client.abort();
    end();
    await other;
    expect((await next).done).to.equal(true);
    expect([...seen, turns.costOf()]).to.deep.equal([0]);
  });

  it('ends its source when the client disconnects', async () => {
    const { seen, stream } = open(['one', 'two']);
    await stream.next();
    await stream.return?.();
    expect([...seen, turns.costOf()]).to.deep.equal([MAX_PERSON_COST, 'end', 0]);
  });

  it('releases the capacity when a piece fails', async () => {
    const source = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the disk is gone')) }) };
    const { text } = inPieces({ status: 200, text: source }, pieceTurns());
    const stream = (text as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await rejection(stream.next())).message).to.equal('the disk is gone');
    expect(turns.costOf()).to.equal(0);
  });

  it('is sent unchanged when it is no stream', () => {
    for (const reply of [{ status: 200, text: 'a' }, { status: 200, bytes: Buffer.from('a') }, { status: 204 }]) {
      expect(inPieces(reply, pieceTurns())).to.equal(reply);
    }
  });
});
