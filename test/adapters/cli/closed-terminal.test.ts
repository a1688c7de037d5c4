import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { FEW_PLUGINS } from '../../kit/few-plugins.ts';
import { MAIN, Workplace } from './spawned-program.ts';

/** Runs a node on a terminal, passes its SIGHUP on as a shell of a person does, and writes the exit code to a file. */
const SHELL = `trap 'kill -HUP $!' HUP
"$NODE" "$MAIN" start --config node.json --port 0 --workers "$WORKERS" &
wait $!
wait $!
echo $? > ended`;

describe('a node on a terminal that closes', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  for (const workers of [1, 2]) {
    for (const [when, made] of [
      ['serves', 'data/address'],
      ['starts, and has yet to greet', 'data/svc.db'],
    ] as const) {
      it(`stops cleanly with ${workers === 1 ? 'one process' : 'workers'} while it ${when}`, async () => {
        if (spawnSync('script', ['--version']).status !== 0) {
          console.log('      "script" of util-linux is not installed here');
          return;
        }
        writeFileSync(place.path('node.json'), JSON.stringify({ plugins: FEW_PLUGINS }));
        const env = {
          PATH: process.env['PATH'],
          NODE: process.execPath,
          MAIN,
          WORKERS: String(workers),
          SHELL: '/bin/sh',
        };
        const terminal = spawn('script', ['-qec', SHELL, '/dev/null'], { cwd: place.folder, env, stdio: 'ignore' });
        await comesTrue(() => existsSync(place.path(made)));
        terminal.kill('SIGKILL');
        await comesTrue(() => existsSync(place.path('ended')) && readFileSync(place.path('ended'), 'utf8') !== '');

        expect(readFileSync(place.path('ended'), 'utf8')).to.equal('0\n');
        expect(existsSync(place.path('data/address'))).to.equal(false);
      });
    }
  }
});
