import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the names of the chains of increments in a target, the oldest first. */
export const chainsIn = (target: string): string[] =>
  existsSync(target)
    ? readdirSync(target)
        .filter((name) => name.startsWith('increments-'))
        .sort()
    : [];

/** Returns the names of the increments of a chain, the oldest first. */
export const incrementsIn = (target: string, chain: string): string[] =>
  readdirSync(join(target, chain))
    .filter((name) => /^\d+-\d+(-resumed)?$/.test(name))
    .sort();
