import { expect } from 'chai';
import fc from 'fast-check';
import { type NumberedLine, readLines } from '../../../kernel/commands/read-lines.ts';
import { type ImportChunk, importChunks } from '../../../plugins/transfer/import-chunks.ts';
import { RUNS } from '../../kit/property-runs.ts';

async function* stream(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

const textOf = (line: NumberedLine): string | null => line.bytes?.toString('utf8') ?? null;
const keysOf = (chunks: readonly ImportChunk[]): string[] => chunks.map(({ idempotencyKey }) => idempotencyKey);

describe('lines of a file to import', () => {
  it('are the same for every division of the stream into pieces', async () => {
    const cutAnywhere = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', 'é', '\r') }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cutAnywhere, async (parts) => {
        const whole = parts.join('');
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        const lines = await collect(readLines(stream(...parts), 1_000));
        expect(lines.map(textOf)).to.deep.equal(expected);
        expect(lines.map(({ number }) => number)).to.deep.equal(expected.map((_, index) => index + 1));
      }),
      { numRuns: RUNS },
    );
  });

  it('keep their numbers after a line that is too long, which is dropped', async () => {
    const lines = await collect(readLines(stream('ab\ncde', 'fghi', 'jk\nlm'), 4));
    expect(lines.map(textOf)).to.deep.equal(['ab', null, 'lm']);
    expect(lines.map(({ offset }) => offset)).to.deep.equal([3, 13, 15]);
  });

  it('exclude a byte order mark at the start', async () => {
    const [line] = await collect(readLines(stream('\uFEFF{}\n'), 100));
    expect(line && textOf(line)).to.equal('{}');
  });
});

describe('requests of an import', () => {
  it('contain the requested number of lines with their numbers, without blank lines', async () => {
    const chunks = await collect(importChunks(stream('1\n\n2\n  \r\n3\n4'), 2));
    expect(chunks.map(({ body }) => body.toString())).to.deep.equal(['1\n2\n', '3\n4\n']);
    expect(chunks.map(({ lineNumbers }) => lineNumbers)).to.deep.equal([
      [1, 3],
      [5, 6],
    ]);
  });

  it('have the same keys when the same file is read again', async () => {
    const text = '{"a":1}\n{"b":2}\n{"c":3}\n';
    const once = keysOf(await collect(importChunks(stream(text), 2)));
    const again = keysOf(await collect(importChunks(stream(...text), 2)));
    expect(again).to.deep.equal(once);
    expect(once[0]).to.match(/^[!-~]{1,255}$/);
  });

  it('have different keys when a line occurs twice, because an assertion after a retraction is a new fact', async () => {
    const keys = keysOf(await collect(importChunks(stream('assert\nretract\nassert\n'), 1)));
    expect(new Set(keys).size).to.equal(3);
  });

  it('exclude a line that is not UTF-8, and report it', async () => {
    const [chunk] = await collect(importChunks(stream('1\n', Uint8Array.of(0xff, 0x0a), '3\n'), 10));
    expect(chunk?.lineNumbers).to.deep.equal([1, 3]);
    expect(chunk?.refused).to.deep.equal([{ number: 2, reason: 'not valid UTF-8' }]);
  });

  it('stay below the size limit of the route', async () => {
    const line = `"${'x'.repeat(3 * 1024 * 1024)}"\n`;
    const chunks = await collect(importChunks(stream(line, line, line), 500));
    expect(chunks.map(({ lineNumbers }) => lineNumbers)).to.deep.equal([[1], [2], [3]]);
  });
});
