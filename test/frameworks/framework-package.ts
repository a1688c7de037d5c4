import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';

/** The folder of the frameworks, which are installed apart. */
export const FRAMEWORKS = join(projectRoot(), 'test/frameworks');

/** Returns the exports of an installed framework; undefined where it is not installed, which is printed. */
export const frameworkPackage = <Exports>(name: string): Exports | undefined => {
  if (existsSync(join(FRAMEWORKS, 'node_modules'))) {
    return createRequire(join(FRAMEWORKS, 'package.json'))(name) as Exports;
  }
  describe(`the adapter for ${name}`, () => {
    it('is tested where the package is installed', () => {
      console.log('      npm ci --prefix test/frameworks --ignore-scripts');
    });
  });
  return undefined;
};
