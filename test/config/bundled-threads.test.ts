import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';

const THREADS = ['dist/adapters/sqlite/writer/writer-worker.js', 'dist/plugins/search/host/index-thread.js'];

describe('the threads that every start begins', () => {
  for (const path of THREADS) {
    it(`load no other module of the package: ${path}`, () => {
      const code = readFileSync(join(projectRoot(), path), 'utf8');
      const imported = [...code.matchAll(/^\s*(?:import|export)\b[^'"(]*["']([^'"]+)["']/gm)].map(([, from]) => from);
      expect(imported).to.include('node:worker_threads');
      expect(imported.filter((from) => from?.startsWith('.'))).to.deep.equal([]);
    });
  }
});
