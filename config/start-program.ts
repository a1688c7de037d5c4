import { chooseProgram } from './choose-program.ts';
import { keepCompiledCode } from './compile-cache.ts';

keepCompiledCode(process.env);
// Loads a bundle, because a start from separate module files takes three times as long.
const bundle = `../program/${chooseProgram(process.argv.slice(2))}.js`;
await import(new URL(bundle, import.meta.url).href);
