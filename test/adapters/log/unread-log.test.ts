import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';

const LOGGER = new URL('../../../adapters/log/pino-logger.js', import.meta.url).href;

/** A program that logs `count` lines of a kilobyte, says so on standard output, and stays until its input ends. */
const logging = (count: number): string => `
  const { createPinoLogger } = await import('${LOGGER}');
  const log = createPinoLogger({ level: 'info' });
  for (let number = 0; number < ${count}; number += 1) log.info('x'.repeat(1_000), { number });
  console.log('logged');
  process.stdin.resume();
`;

/** Runs the program without a reader of its log until it has logged. Returns the lines that it wrote in all. */
const linesOf = async (count: number): Promise<Record<string, unknown>[]> => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', logging(count)], { stdio: 'pipe' });
  try {
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).to.equal('logged\n');
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface(child.stderr)) {
      lines.push(JSON.parse(line));
      const { number, lines: leftOut } = lines.at(-1) ?? {};
      if (number === count - 1 || leftOut !== undefined) break;
    }
    return lines;
  } finally {
    child.kill('SIGKILL');
  }
};

describe('a log that nothing reads', () => {
  it('does not stop the process, and has each line in order once it is read again', async () => {
    const lines = await linesOf(900);
    expect(lines.map(({ number }) => number)).to.deep.equal(Array.from({ length: 900 }, (_, number) => number));
  });

  it('keeps a mebibyte of lines in memory, and tells how many later ones were left out', async () => {
    const lines = await linesOf(5_000);
    const last = lines.pop();
    expect(lines.map(({ number }) => number)).to.deep.equal(lines.map((_, number) => number));
    expect(last).to.include({ level: 'warn', lines: 5_000 - lines.length });
    expect(lines.length).to.be.greaterThan(1_000).and.lessThan(2_500);
  });
});
