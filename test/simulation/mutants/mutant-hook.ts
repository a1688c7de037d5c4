import type { LoadHook } from 'node:module';
import type { Mutation } from './mutants.ts';

let mutation: Mutation | undefined;

export const initialize = (data: Mutation): void => {
  mutation = data;
};

/** Puts one text in the place of another while the file is loaded. The file itself stays as it is. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (mutation === undefined || !url.endsWith(`/dist/${mutation.file}`)) return loaded;
  const source = Buffer.from(loaded.source as Uint8Array).toString();
  const parts = source.split(mutation.from);
  if (parts.length !== 2) throw new Error(`${mutation.file} has the text of the mutant ${parts.length - 1} times`);
  return { ...loaded, source: parts.join(mutation.to) };
};
