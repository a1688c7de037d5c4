import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { projectRoot } from '../architecture/source-files.ts';

/** Bundles the client into one module, as a page would load it, and lists the imports that remain. */
export const bundleClient = async (
  options: Pick<BuildOptions, 'format' | 'globalName'> = {},
): Promise<{ readonly code: Uint8Array; readonly imports: readonly string[] }> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(projectRoot(), 'dist/client/client.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
    ...options,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const imports = Object.values(metafile.outputs).flatMap(({ imports: left }) => left.map(({ path }) => path));
  return { code, imports };
};
