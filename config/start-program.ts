import { chooseProgram } from './choose-program.ts';

// A bundle, because loading each module from its own file triples the time of a start.
const bundle = `../program/${chooseProgram(process.argv.slice(2))}.js`;
await import(new URL(bundle, import.meta.url).href);
