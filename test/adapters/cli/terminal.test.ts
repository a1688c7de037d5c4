import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Variables, Workplace } from './spawned-program.ts';

/** Makes the program treat its pipes as a terminal; its own rules for colours still apply. */
const TERMINAL = `
const { WriteStream } = require('node:tty');
for (const stream of [process.stdout, process.stderr]) {
  stream.isTTY = true;
  stream.columns = 60;
  stream.getColorDepth = WriteStream.prototype.getColorDepth;
  stream.hasColors = WriteStream.prototype.hasColors;
}`;
const FACT = { entity: 'i:1', relation: 'x:n', value: { type: 'null', v: null }, source: 'agent:w' };

describe('a node at a terminal', () => {
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
    writeFileSync(place.path('terminal.cjs'), TERMINAL);
  });
  afterEach(() => place.dispose());

  const atTerminal = (more: Variables = {}): Variables => ({
    NODE_OPTIONS: '-r ./terminal.cjs',
    TERM: 'xterm-256color',
    ...more,
  });

  /** Returns the standard error of a node that stores one fact between start and stop. */
  const logOf = async (env: Variables): Promise<string> => {
    const node = await place.start([], env);
    const argv = ['import', '-', '--key-file', 'data/admin.key', '--url', node.url];
    expect((await place.run(argv, {}, JSON.stringify(FACT))).exitCode).to.equal(0);
    const { exitCode, stderr } = await node.end('SIGINT');
    expect(exitCode).to.equal(0);
    return stderr;
  };

  it('writes readable lines in colour, sums up billing events, and logs the stop', async () => {
    const log = await logOf(atTerminal());
    const lines = log.replaceAll(/\u001b\[\d+m/g, '').split('\n');

    expect(log).to.contain('\u001b');
    expect(lines.filter((line) => line.includes('billing'))).to.deep.equal(['billing: 1 fact_written']);
    expect(lines.filter((line) => / INFO {2}/.test(line)).map((line) => line.replace(/^.* INFO {2}/, ''))).to.satisfy(
      ([serves = '', stopping = '', stopped = '']: string[]) =>
        serves.startsWith('the node serves url=') && stopping.startsWith('stopping: ') && stopped === 'stopped',
    );
  });

  it('writes lines without colour when NO_COLOR is set, and all billing events with SVC_BILLING_LINES', async () => {
    const log = await logOf(atTerminal({ NO_COLOR: '1', SVC_BILLING_LINES: 'all' }));
    const billed = log.split('\n').filter((line) => line.includes('billing'));

    expect(log).not.to.contain('\u001b');
    expect(log).to.match(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}the node serves/);
    expect(billed.map((line) => Object.keys(JSON.parse(line)))).to.deep.equal([['billing']]);
  });

  it('writes JSON into a pipe up to its last line, for any FORCE_COLOR', async () => {
    const log = await logOf({ FORCE_COLOR: '1' });
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    const told = entries.filter(({ level }) => level === 'info').map(({ message }) => String(message).split(':')[0]);
    // This message appears only if the fact was stored before the index was ready.
    expect(told.filter((message) => message !== 'the search index is up to date')).to.deep.equal([
      'the node serves',
      'stopping',
      'stopped',
    ]);
  });

  it('fits its tables into the width of the terminal', async () => {
    await place.run(['init']);
    const { stdout } = await place.runApart(['key', 'list'], atTerminal());

    expect(stdout).to.match(/^id {11}[0-9a-f-]{36}\ntenant {7}default\nentity {7}agent:admin\n/);
    for (const line of (await place.runApart(['plugins', 'list'], atTerminal())).stdout.split('\n')) {
      expect(line.length, line).to.be.at.most(60);
    }
  });
});
