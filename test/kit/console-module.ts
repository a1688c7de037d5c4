import { join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../architecture/source-files.ts';

/**
 * Imports a module of the console application with all its imports into this process, without a page. `address` is the
 * one from which a browser would have loaded it.
 */
export const importConsoleModule = async <Module>(path: string, address?: string): Promise<Module> => {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot(), 'plugins/console/app', path)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    ...(address !== undefined && { define: { 'import.meta.url': JSON.stringify(address) } }),
    logLevel: 'silent',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as Module;
};
