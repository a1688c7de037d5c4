import { register } from 'node:module';
import { MUTANTS } from './mutants.ts';

// Loaded before anything else (`--import`), so that every module comes through the hook.
const name = process.env['SIMULATION_MUTANT'];
const mutant = MUTANTS.find((one) => one.name === name);
if (mutant === undefined) throw new Error('SIMULATION_MUTANT does not name a mutant');
register(new URL('./mutant-hook.js', import.meta.url), { data: mutant.edits });
