import { expect } from 'chai';
import fc from 'fast-check';
import { createPinoLogger } from '../../../adapters/log/pino-logger.ts';
import { readableLine } from '../../../adapters/log/readable-line.ts';
import { RUNS } from '../../kit/property-runs.ts';

const plain = (entry: object): string => readableLine(`${JSON.stringify(entry)}\n`, { colours: false });
const TIME = '2026-03-02T09:15:04.120Z';

describe('a line of the log on a terminal', () => {
  it('shows time of day, level, message and fields', () => {
    const line = plain({
      level: 'warn',
      time: TIME,
      message: 'slow request',
      plugin: 'cards',
      tookMs: 120,
      text: 'a b',
    });

    expect(line).to.match(/^\d{2}:\d{2}:04\.120 WARN {2}slow request plugin=cards tookMs=120 text="a b"\n$/);
  });

  it('shows an error with its message in the line, and its stack and causes below', () => {
    const lines: string[] = [];
    const log = createPinoLogger({ level: 'info', write: (line) => lines.push(line) });
    log.error('request failed', { error: new TypeError('outer', { cause: new RangeError('inner one') }) });
    const [first, ...below] = readableLine(lines[0] ?? '', { colours: false }).split('\n');

    expect(first).to.match(/ERROR request failed error=outer$/);
    expect(below.join('\n'))
      .to.match(/^ {2}TypeError: outer\n {6}at /)
      .and.match(/\n {2}caused by\n {2}RangeError: inner one\n {6}at /);
  });

  it('is coloured only when requested', () => {
    const json = JSON.stringify({ level: 'error', time: TIME, message: 'x', a: 1 });

    expect(readableLine(json, { colours: false })).not.to.contain('\u001b');
    expect(readableLine(json, { colours: true })).to.contain('\u001b[31m');
  });

  it('leaves a line that is not JSON unchanged', () => {
    expect(readableLine('plain\n', { colours: true })).to.equal('plain\n');
  });

  it('prints no control sequence and no line break from the text of a client', () => {
    const hostile = fc.string({
      unit: fc.oneof(fc.constantFrom('\u001b', '\n', '\r', '\u009b', '\u202e', '"'), fc.string()),
    });
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, key, value) => {
        const line = plain({
          level: 'info',
          time: TIME,
          message,
          [`k${key}`]: value,
          list: [value],
          error: { message },
        });
        expect(line.trimEnd()).not.to.match(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      }),
      { numRuns: RUNS },
    );
  });
});
