import type { InboundRequest, Principal } from '../../ports/ports.ts';
import type { Turns } from './person-turns.ts';
import type { Reply } from './route-definition.ts';

/** The request of a streamed reply, and what one piece of the reply costs. */
export interface PieceTurns {
  readonly turns: Turns;
  readonly person: Pick<Principal, 'tenantId' | 'entityUri'>;
  readonly cost: number;
  readonly request: Pick<InboundRequest, 'signal'>;
}

/**
 * Makes each piece of a streamed body take a turn of its own; returns other replies unchanged. A slow client holds no
 * turn while the next piece waits for it.
 */
export const inPieces = (reply: Reply, pieceTurns: PieceTurns): Reply => {
  const { text, bytes } = reply;
  if (isStream(text)) return { ...reply, text: piecesInTurns(text, pieceTurns) };
  if (isStream(bytes)) return { ...reply, bytes: piecesInTurns(bytes, pieceTurns) };
  return reply;
};

const isStream = <T>(body: T | AsyncIterable<T> | undefined): body is AsyncIterable<T> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function* piecesInTurns<T>(
  pieces: AsyncIterable<T>,
  { turns, person, cost, request: { signal } }: PieceTurns,
): AsyncGenerator<T, void, undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      // The client may go away while the piece waits.
      const next = await turns.run(person, cost, () => (signal.aborted ? undefined : iterator.next()));
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
