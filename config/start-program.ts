import { chooseProgram } from './choose-program.ts';
import { keepCompiledCode } from './compile-cache.ts';
import { tooFewOpenFiles } from './few-open-files.ts';

keepCompiledCode(process.env);
// Loads a bundle, because a start from separate module files takes three times as long.
const bundle = `../program/${chooseProgram(process.argv.slice(2))}.js`;
const loading = import(new URL(bundle, import.meta.url).href);

await loading.catch((error: NodeJS.ErrnoException) => {
  const text = tooFewOpenFiles(error);
  if (text === undefined) throw error;
  process.stderr.write(text);
  process.exitCode = 1;
});
