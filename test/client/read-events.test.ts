import { expect } from 'chai';
import fc from 'fast-check';
import { InvalidReplyError } from '../../client/client.ts';
import { readEvents, type StreamPart } from '../../client/read-events.ts';
import { RUNS } from '../kit/property-runs.ts';
import { rejection } from '../kit/rejection.ts';

const partsOf = async (pieces: readonly Uint8Array[]): Promise<StreamPart[]> => {
  const parts: StreamPart[] = [];
  for await (const part of readEvents(ReadableStream.from(pieces))) parts.push(part);
  return parts;
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the reader of event streams', () => {
  it('parses messages as the standard requires', async () => {
    const stream = [
      ': open\n\n',
      'id: 1\nevent: fact_asserted\ndata: {"a":1}\n\n',
      'data:no blank\ndata\ndata:  two blanks\n\n',
      'id: x\0y\nunknown: field\ndata: keeps the id\n\n',
      'event: dropped without data\n\n',
      'data: message again\r\n\r\n',
      ': waiting\nid: 5\n\n',
      'id\rdata: no id\r\r',
      'data: unfinished',
    ];
    expect(await partsOf(stream.map(bytes))).to.deep.equal([
      'comment',
      { id: '1', event: 'fact_asserted', data: '{"a":1}' },
      { id: '1', event: 'message', data: 'no blank\n\n two blanks' },
      { id: '1', event: 'message', data: 'keeps the id' },
      { id: '1', event: 'message', data: 'message again' },
      'comment',
      { mark: '5' },
      { id: '', event: 'message', data: 'no id' },
    ]);
  });

  it('parses the same messages for any split of the stream', async () => {
    const whole = bytes(
      ': \u{1F600}\r\n\r\nid: 7\r\nevent: é\r\ndata: \u{1F600} ü\r\ndata: b\r\n\r\nid: 8\ndata: c\n\ndata: d\r\r',
    );
    const expected = await partsOf([whole]);
    expect(expected).to.have.length(4);
    const cuts = fc.uniqueArray(fc.nat({ max: whole.length }), { maxLength: 12 });
    const property = fc.asyncProperty(cuts, async (places) => {
      const ends = [...places.sort((one, other) => one - other), whole.length];
      const pieces = ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end));
      expect(await partsOf(pieces)).to.deep.equal(expected);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('buffers no more than the largest message', async () => {
    const piece = bytes('x'.repeat(2 ** 20));
    let given = 0;
    const endless = async function* (before: string, after: string) {
      for (given = 0; given < 100; given += 1) {
        yield bytes(before);
        yield piece;
        yield bytes(after);
      }
    };
    for (const [before, after] of [
      ['', ''],
      ['data: ', '\n'],
    ] as const) {
      const stream = readEvents(ReadableStream.from(endless(before, after)));
      const error = await rejection(stream.next());
      expect(error).to.be.instanceOf(InvalidReplyError);
      expect(given).to.be.below(20);
    }
  });
});
