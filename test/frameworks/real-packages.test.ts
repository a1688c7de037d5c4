import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';
import { FRAMEWORKS } from './framework-package.ts';

const runFile = promisify(execFile);

/** Gives each adapter to its framework, in the types of the real packages. */
const PROGRAM = `
import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { Session } from '@openai/agents-core';
import type { LanguageModelMiddleware, ToolSet } from 'ai';
import { memoryMiddleware, memoryTools } from 'fact-memory-node/ai-sdk';
import { MemoryFiles } from 'fact-memory-node/anthropic';
import { FactClient } from 'fact-memory-node/client';
import { LangGraphStore } from 'fact-memory-node/langgraph';
import { FactSession } from 'fact-memory-node/openai-agents';

const options = { client: new FactClient(), source: 'agent:a' };
export const store: BaseStore = new LangGraphStore(options);
export const session: Session = new FactSession(options);
export const files: MemoryToolHandlers = new MemoryFiles(options);
export const middleware: LanguageModelMiddleware = memoryMiddleware(options);
export const tools = memoryTools(options) satisfies ToolSet;
// @ts-expect-error a source is required
new LangGraphStore({ client: new FactClient() });
`;
const ALONE = `
import { FactClient } from 'fact-memory-node/client';
export const client = new FactClient();
`;

describe('the types of the adapters', function () {
  this.timeout(120_000);

  /** Compiles a program beside the package and the named packages of frameworks, and returns the errors. */
  const errorsIn = (program: string, packages: readonly string[]): Promise<string> =>
    inTemporaryFolder(async (folder) => {
      // Copied, because a linked package would look for frameworks beside its own folder.
      const copy = join(folder, 'node_modules/fact-memory-node');
      for (const part of ['package.json', 'dist/client']) {
        cpSync(join(projectRoot(), part), join(copy, part), { recursive: true });
      }
      for (const name of packages) {
        const place = join(folder, 'node_modules', name);
        mkdirSync(join(place, '..'), { recursive: true });
        symlinkSync(join(FRAMEWORKS, 'node_modules', name), place, 'dir');
      }
      const compilerOptions = {
        ...{ target: 'es2023', module: 'nodenext', lib: ['esnext', 'dom'], types: [], strict: true },
        ...{ exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: packages.length > 0 },
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'program.ts'), program);
      const compiler = join(projectRoot(), 'node_modules/typescript/bin/tsc');
      return runFile(process.execPath, [compiler, '-p', folder]).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    });

  it('fit the interfaces of the real packages, where these are installed', async () => {
    if (!existsSync(join(FRAMEWORKS, 'node_modules'))) {
      console.log('      npm ci --prefix test/frameworks --ignore-scripts');
      return;
    }
    const packages = ['@anthropic-ai/sdk', '@langchain/langgraph-checkpoint', '@openai/agents-core', 'ai'];
    expect(await errorsIn(PROGRAM, packages)).to.equal('');
  });

  it('require no framework package in programs that use no adapter', async () => {
    expect(await errorsIn(ALONE, [])).to.equal('');
  });
});
