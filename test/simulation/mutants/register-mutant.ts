import { register } from 'node:module';
import { MUTANTS } from './mutants.ts';

// Loaded before all other modules (`--import`), so that every module passes through the loader hook.
const name = process.env['SIMULATION_MUTANT'];
const mutant = MUTANTS.find((one) => one.name === name);
if (mutant === undefined) throw new Error('SIMULATION_MUTANT does not name a mutant');
register(new URL('./mutant-hook.js', import.meta.url), { data: mutant.edits });
