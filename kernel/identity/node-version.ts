import { readFileSync } from 'node:fs';

const description = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** The version of the package and of all its plugins. */
export const NODE_VERSION = (JSON.parse(description) as { readonly version: string }).version;
