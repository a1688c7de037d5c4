import { join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../architecture/source-files.ts';

/** Imports a module of the console application with all its imports into this process, without a page. */
export const importConsoleModule = async <Module>(path: string): Promise<Module> => {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot(), 'plugins/console/app', path)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as Module;
};
