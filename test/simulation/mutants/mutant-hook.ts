import type { LoadHook } from 'node:module';
import type { Edit } from './mutants.ts';

let edits: readonly Edit[] = [];

export const initialize = (data: readonly Edit[]): void => {
  edits = data;
};

/** A module loader hook that replaces text while files are loaded. The files themselves stay unchanged. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const here = edits.filter(({ file }) => url.endsWith(`/dist/${file}`));
  if (here.length === 0) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const { file, from, to } of here) {
    const parts = source.split(from);
    if (parts.length !== 2) throw new Error(`${file} has the text of the mutant ${parts.length - 1} times`);
    source = parts.join(to);
  }
  return { ...loaded, source };
};
