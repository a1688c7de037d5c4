import { mkdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from './spawned-program.ts';

describe('the start command with a plugin that keeps files', () => {
  const place = new Workplace();
  after(() => place.dispose());

  it('prints the folder that a plugin cannot create, with a remedy', async () => {
    mkdirSync(place.path('data'));
    writeFileSync(place.path('data/keeper'), 'a file in the place of the folder');
    writeFileSync(
      place.path('keeper.mjs'),
      `export const keeper = { name: 'keeper', version: '1.0.0', kernelApi: 1, setup({ dataFolder }) { dataFolder(); } };`,
    );
    writeFileSync(place.path('keeper.json'), JSON.stringify({ plugins: { keeper: { from: './keeper.mjs' } } }));
    const { exitCode, stderr } = await place.run(['start', '--config', 'keeper.json'], { SVC_PORT: '0' });

    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/the folder \S+keeper cannot be made \(EEXIST\)\n *hint: let the user of the node own/);
  });
});
