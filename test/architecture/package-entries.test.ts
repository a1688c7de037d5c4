import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { projectRoot, readSources } from './source-files.ts';

describe('the entries of the package', () => {
  const { name: own, exports } = JSON.parse(readFileSync(`${projectRoot()}/package.json`, 'utf8')) as {
    name: string;
    exports: Record<string, string | Record<string, string>>;
  };

  it('include the public interface of each plugin', async () => {
    const offered = (await readSources()).filter(({ path }) => /^plugins\/[^/]+\/[^/]+-api\.ts$/.test(path));
    expect(offered.length).to.be.above(10);
    for (const { path } of offered) {
      const entry = basename(path, '.ts');
      expect(path).to.equal(`plugins/${entry.slice(0, -'-api'.length)}/${entry}.ts`);
      const file = fileURLToPath(import.meta.resolve(`${own}/${entry}`));
      expect(existsSync(file), `${own}/${entry}`).to.equal(true);
      const types = `dist/${path.replace(/\.ts$/, '.d.ts')}`;
      expect(existsSync(`${projectRoot()}/${types}`), `types of ${own}/${entry}`).to.equal(true);
      expect(Object.keys(await import(`${own}/${entry}`)), path).to.not.be.empty;
    }
  });

  it('are existing files', () => {
    for (const [entry, target] of Object.entries(exports)) {
      if (entry.includes('*')) continue;
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
        expect(existsSync(`${projectRoot()}/${file}`), `${entry}: ${file}`).to.equal(true);
      }
    }
  });
});
