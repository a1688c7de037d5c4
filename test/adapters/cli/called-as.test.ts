import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { asTyped, startedAs, withTypedCommands } from '../../../adapters/cli/called-as.ts';

const NODE = '/usr/bin/node';

describe('the words with which a person starts the program again', () => {
  if (process.platform === 'win32') return;
  let place: string;
  let project: string;
  let main: string;

  beforeEach(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), 'called-as-')));
    project = join(place, 'project');
    main = join(project, 'node_modules/fact-memory-node/dist/config/main.js');
    write(main);
    link('project/node_modules/.bin/svc', main);
    link('project/node_modules/.bin/fact-memory-node', main);
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const write = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  };
  const link = (name: string, to: string): void => {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    symlinkSync(to, join(place, name));
  };
  const words = (more: { called?: string; folder?: string; env?: Record<string, string> } = {}): string =>
    startedAs({ program: [NODE, main], called: main, folder: project, env: { PATH: '/usr/bin' }, ...more });

  it('are the name that was called, where a shell finds this program under it', () => {
    link('global/bin/svc', main);
    const env = { PATH: `/usr/bin:${place}/global/bin` };
    expect(words({ called: join(place, 'global/bin/svc'), env })).to.equal('svc');
    expect(words({ env })).to.equal('npx --no -- fact-memory-node');
    link('global/bin/fact-memory-node', main);
    expect(words({ env })).to.equal('fact-memory-node');
  });

  it('are npx in the project that has the package, and in its folders', () => {
    mkdirSync(join(project, 'notes'));
    const called = join(project, 'node_modules/.bin/svc');
    // npm adds this folder for one command. The shell of the person does not have it.
    const env = { PATH: `${project}/node_modules/.bin:/usr/bin`, npm_execpath: '/usr/lib/npm-cli.js' };
    for (const folder of [project, join(project, 'notes')]) {
      expect(words({ called, folder, env })).to.equal('npx --no -- svc');
      expect(words({ folder, env })).to.equal('npx --no -- fact-memory-node');
    }
  });

  it('are npx in a checkout', () => {
    main = join(place, 'checkout/dist/config/main.js');
    write(main);
    expect(words({ folder: join(place, 'checkout') })).to.equal('npx --no -- fact-memory-node');
  });

  it('are the paths of interpreter and script anywhere else, also beside a program of the same name', () => {
    const other = join(place, 'other dir/dist/config/main.js');
    write(other);
    link('strange/bin/fact-memory-node', other);
    const env = { PATH: `${place}/strange/bin` };
    expect(words({ folder: place, env })).to.equal(`${NODE} ${main}`);
    main = other;
    expect(words({ folder: place })).to.equal(`${NODE} '${other}'`);
  });

  it('replace the name of the program in hints and commands, but not in names of files', async () => {
    const typed = 'npx --no -- svc';
    expect(asTyped('hint: run "fact-memory-node key list"\n  fact-memory-node start', typed)).to.equal(
      'hint: run "npx --no -- svc key list"\n  npx --no -- svc start',
    );
    const other = 'see node_modules/fact-memory-node/docs, or fact-memory-node.service';
    expect(asTyped(other, typed)).to.equal(other);
    const chunks: string[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string, _, done) {
        chunks.push(chunk);
        done();
      },
    });
    const wrapped = withTypedCommands(Object.assign(stream, { isTTY: true }), () => typed);
    expect(wrapped.isTTY).to.equal(true);
    await new Promise<void>((resolve) => {
      wrapped.write('"fact-memory-node start"', () => resolve());
    });
    expect(chunks).to.deep.equal(['"npx --no -- svc start"']);
  });
});
