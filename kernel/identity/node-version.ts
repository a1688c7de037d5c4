import { readFileSync } from 'node:fs';

const description = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** The version of the package, which is that of all of its plugins. */
export const NODE_VERSION = (JSON.parse(description) as { readonly version: string }).version;
