import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { FEW_PLUGINS } from '../../kit/few-plugins.ts';
import { Workplace } from './spawned-program.ts';

const WITNESS = `let isStarted = false;
export const witness = { name: 'witness', version: '1.0.0', kernelApi: 1, setup({ on, onStart }) {
  onStart(() => { isStarted = true; });
  on({ kind: 'collect', id: 'node:greeting' }, () => ({ note: isStarted ? 'too late' : 'in time' }));
} };`;

describe('a start by hand', () => {
  const place = new Workplace();
  after(() => place.dispose());

  for (const workers of ['1', '2']) {
    it(`does the work of a first start before it serves, with ${workers} processes`, async () => {
      writeFileSync(place.path('witness.mjs'), WITNESS);
      const plugins = { ...FEW_PLUGINS, witness: { from: './witness.mjs' } };
      writeFileSync(place.path('node.json'), JSON.stringify({ plugins }));
      const env = { SVC_AUTH_REQUIRED: 'false', SVC_WORKERS: workers };
      const node = await place.start(['--config', 'node.json'], env);
      await node.end();

      expect(node.greeting).to.contain('in time');
    });
  }
});
