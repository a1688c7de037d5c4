import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { boundedLines, idAtEdges } from '../../../plugins/mcp/bounded-lines.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startServedNode } from '../../kit/start-served-node.ts';

describe('messages on standard input', () => {
  it('pass unchanged in any division into pieces, unless they are too long', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 50 }), async (given, size) => {
        const lines = given.map((line) => line.replaceAll('\n', ''));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const dropped: string[] = [];
        const passed = await text(Readable.from(pieces).pipe(boundedLines(30, (edges) => void dropped.push(edges))));
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

  it('are answered by their id when they are too long', () => {
    expect(idAtEdges('{"jsonrpc":"2.0","id":7,"method"\n')).to.equal(7);
    expect(idAtEdges('{"method":"x"\n}},"jsonrpc":"2.0","id":"a-1"}\n')).to.equal('a-1');
    expect(idAtEdges('{"method":"x"\n"arguments":{"id":7}}}')).to.equal(null);
  });

  it('of more than 4 MiB are refused, and the connection goes on', async () => {
    const served = await startServedNode();
    const { serveOverStdio } = await import('../../../plugins/mcp/stdio-face.ts');
    const { askOverHttp } = await import('../../../plugins/mcp/ask-node.ts');
    const { connectServer } = await import('../../../adapters/cli/command-server.ts');
    const { createSystemRandom } = await import('../../../adapters/random/system-random.ts');
    try {
      const env = { SVC_URL: served.url, SVC_API_KEY: served.adminKey };
      const node = await askOverHttp(await connectServer({}, env, createSystemRandom()));
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      const parts = { choice: { profile: 'core', readOnly: false }, node, name: 'x', version: '1', report() {} };
      const ended = serveOverStdio({ ...parts, tokens: {} } as never, { stdin, stdout });
      const replies: { id: unknown; error?: { code: number } }[] = [];
      let waiting: () => void = () => {};
      stdout.on('data', (chunk) => {
        for (const line of String(chunk).trim().split('\n')) replies.push(JSON.parse(line));
        waiting();
      });
      const reply = async (message: object) => {
        const arrival = new Promise<void>((resolve) => {
          waiting = resolve;
        });
        stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
        await arrival;
        return replies.at(-1);
      };
      const clientInfo = { name: 't', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      expect(await reply({ id: 1, method: 'initialize', params })).to.include({ id: 1 });
      const long = {
        id: 2,
        method: 'tools/call',
        params: { name: 'recall', arguments: { query: 'x'.repeat(5 << 20) } },
      };
      const refused = await reply(long);
      expect([refused?.id, refused?.error?.code]).to.deep.equal([2, -32_600]);
      expect(await reply({ id: 3, method: 'tools/list' })).to.include({ id: 3 });
      stdin.end();
      await ended;
    } finally {
      await served.stop();
    }
  });
});
