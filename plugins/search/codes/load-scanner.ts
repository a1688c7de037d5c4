import { readFileSync } from 'node:fs';

/** The exports of wasm/code-scanner.ts, which describes the functions. Addresses and lengths are bytes. */
export interface Scanner {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly revision: { readonly value: number };
  begin(query: number, words: number, list: number, capacity: number, wanted: number, histogram: number): void;
  scan(signs: number, live: number, accepted: number, maskWords: number, tag: number): void;
  finish(): number;
  score(blocks: number, components: number, length: number): void;
}

/**
 * Loads a scanner with a memory of its own. Throws if it is missing, damaged or of another build, because a wrong
 * search would be worse than none. `load` returns its bytes; the default reads them from beside this module.
 */
export const loadScanner = (load?: () => Uint8Array): Scanner => {
  if (load === undefined) compiled ??= compile(readScanner());
  const scanner = new Instance(load === undefined ? compiled : compile(load())).exports as Scanner;
  if (scanner.revision?.value !== REVISION) throw new Error(`the code scanner belongs to another build. ${REBUILD}`);
  return scanner;
};

/** Must equal `revision` in wasm/code-scanner.ts. */
const REVISION = 4;
const REBUILD = 'Run "npm run build", or install the package again.';

/** The used subset of the WebAssembly interface, which the types of Node lack. */
const { Instance, Module } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object | undefined) => { readonly exports: unknown };
    };
  }
).WebAssembly;

/** The module, compiled once per process. Every memory creates its own instance of it. */
let compiled: object | undefined;

const compile = (bytes: Uint8Array): object => {
  try {
    return new Module(bytes);
  } catch (cause) {
    throw new Error(`the code scanner cannot be used. ${REBUILD}`, { cause });
  }
};

const readScanner = (): Uint8Array => {
  try {
    return readFileSync(new URL('./code-scanner.wasm', import.meta.url));
  } catch (cause) {
    throw new Error(`the code scanner is missing. ${REBUILD}`, { cause });
  }
};
