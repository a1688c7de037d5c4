import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { boundedLines, idAtEdges } from '../../../plugins/mcp/bounded-lines.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startServedNode } from '../../kit/start-served-node.ts';
import { talkOverStdio } from './stdio-talk.ts';

describe('MCP messages on standard input', () => {
  it('arrive unchanged however they are split, unless they are too long', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 50 }), async (given, size) => {
        const lines = given.map((line) => line.replaceAll('\n', ''));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const dropped: string[] = [];
        const passed = await text(
          Readable.from(pieces).pipe(
            boundedLines(30, { dropped: (edges) => void dropped.push(edges), passed: (line) => line }),
          ),
        );
        const isShort = (line: string): boolean => Buffer.byteLength(line) < 30;
        expect(passed).to.equal(
          lines
            .filter(isShort)
            .map((line) => `${line}\n`)
            .join(''),
        );
        expect(dropped).to.have.lengthOf(lines.filter((line) => !isShort(line)).length);
      }),
      { numRuns: RUNS },
    ));

  it('get an error with their id when they are too long', () => {
    expect(idAtEdges('{"jsonrpc":"2.0","id":7,"method"\n')).to.equal(7);
    expect(idAtEdges('{"method":"x"\n}},"jsonrpc":"2.0","id":"a-1"}\n')).to.equal('a-1');
    expect(idAtEdges('{"method":"x"\n"arguments":{"id":7}}}')).to.equal(null);
  });

  it('get an error when they are no messages, with their id if it can be read', async () => {
    const served = await startServedNode();
    const talk = await talkOverStdio(served);
    try {
      const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
      for (const [line, id] of [
        [`[${ping},${ping.replace('7', '8')}]`, null],
        ['[]', null],
        ['null', null],
        ['"ping"', null],
        ['{}', null],
        ['{"jsonrpc":"2.0"}', null],
        ['{"jsonrpc":"2.0","id":7}', 7],
        ['{"jsonrpc":"1.0","id":7,"method":"ping"}', 7],
        ['{"jsonrpc":"2.0","id":"a","method":7}', 'a'],
        ['{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 7],
        ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
        ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', null],
        ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
        ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null],
      ] as const) {
        const refused = await talk.reply(line);
        expect([refused.id, refused.error?.code], line).to.deep.equal([id, -32_600]);
      }
      expect(await talk.reply(ping)).to.deep.include({ id: 7, result: {} });
    } finally {
      await talk.stop();
      await served.stop();
    }
  });

  it('of more than 4 MiB are refused, and the connection stays open', async () => {
    const served = await startServedNode();
    const talk = await talkOverStdio(served);
    try {
      const long = {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'recall', arguments: { query: 'x'.repeat(5 << 20) } },
      };
      const refused = await talk.reply(JSON.stringify(long));
      expect([refused.id, refused.error?.code]).to.deep.equal([2, -32_600]);
      expect(await talk.reply('{"jsonrpc":"2.0","id":3,"method":"tools/list"}')).to.include({ id: 3 });
    } finally {
      await talk.stop();
      await served.stop();
    }
  });
});
