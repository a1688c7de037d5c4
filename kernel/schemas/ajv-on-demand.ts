import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';

/** Creates an instance of Ajv. Loads Ajv at the first call, because its files take longer than the check of a value. */
export const createAjv = (options: Options): Ajv => {
  const loaded = load('ajv') as { readonly Ajv: new (options: Options) => Ajv };
  return new loaded.Ajv(options);
};

const load = createRequire(import.meta.url);
