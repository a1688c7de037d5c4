import type { Principal } from '../../ports/ports.ts';
import type { Turns } from './person-turns.ts';
import type { Reply } from './route-definition.ts';

type Holder = Pick<Principal, 'tenantId' | 'entityUri'>;

/**
 * Makes each piece of a streamed body take a turn of its own; returns other replies unchanged. A slow client holds no
 * turn while the next piece waits for it.
 */
export const inPieces = (reply: Reply, turns: Turns, person: Holder, cost: number): Reply => {
  const { text, bytes } = reply;
  if (isStream(text)) return { ...reply, text: piecesInTurns(text, turns, person, cost) };
  if (isStream(bytes)) return { ...reply, bytes: piecesInTurns(bytes, turns, person, cost) };
  return reply;
};

const isStream = <T>(body: T | AsyncIterable<T> | undefined): body is AsyncIterable<T> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function* piecesInTurns<T>(
  pieces: AsyncIterable<T>,
  turns: Turns,
  person: Holder,
  cost: number,
): AsyncGenerator<T, void, undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await turns.run(person, cost, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
