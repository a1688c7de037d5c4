import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Workplace } from '../adapters/cli/spawned-program.ts';
import { freePort } from '../kit/free-port.ts';
import { packedPackage } from '../package/packed-package.ts';
import { type Block, blocksOf } from './read-pages.ts';
import { differencesFromShown, fitsShownText } from './shown-output.ts';

const runFile = promisify(execFile);
const SHOWN_ADDRESS = 'http://127.0.0.1:8765';
const FILE_NAME = /^(?:\/\/|#) (\S+\.\w+)\n/;
const END_OF_BLOCK = '--- end of block ---';

/**
 * Executes a page in a new folder with the packed package, beside a new node of that package. Writes its named files,
 * runs the commands `before`, and then the `bash` blocks of the page. Returns the differences between output and the
 * shown blocks. Throws when a step fails.
 */
export const runPage = async (path: string, { before = '' } = {}): Promise<string[]> => {
  const blocks = blocksOf(path);
  const { folder, installed } = await packedPackage();
  const place = new Workplace({ main: join(installed, 'dist/config/main.js') });
  try {
    symlinkSync(join(folder, 'node_modules'), place.path('node_modules'), 'dir');
    for (const { language, code } of blocks) {
      const name = FILE_NAME.exec(code)?.[1];
      if (language === 'js' && name !== undefined) writeFileSync(place.path(name), code);
    }
    const shown = blocks.filter(({ language }) => language === 'bash').map(({ code }) => code);
    const ports = await freePorts(shown);
    const scripts = shown.map((code) => ports.hide(code));
    const needsNode = scripts.some((code) => code.includes(SHOWN_ADDRESS));
    const address = needsNode ? (await place.start()).url : SHOWN_ADDRESS;
    const outputs = await runScripts(place, scripts, { address, before });
    return blocks.flatMap((block, at) => {
      const before = blocks[at - 1];
      if (before?.language !== 'bash') return [];
      const output = outputs[shown.indexOf(before.code)] ?? '';
      return compare(block, ports.show(output.replaceAll(address, SHOWN_ADDRESS)));
    });
  } finally {
    await place.dispose();
  }
};

/** Nodes that a page starts use free ports, because the shown ports may be in use. */
const freePorts = async (scripts: readonly string[]) => {
  const named = new Set(scripts.flatMap((code) => [...code.matchAll(PORT)].map(([, port = '']) => port)));
  const pairs: (readonly [shown: string, used: string])[] = [];
  for (const port of named) pairs.push([port, String(await freePort())]);
  return {
    hide: (text: string) => pairs.reduce((hidden, [shown, used]) => hidden.replaceAll(shown, used), text),
    show: (text: string) => pairs.reduce((told, [shown, used]) => told.replaceAll(`:${used}`, `:${shown}`), text),
  };
};

const PORT = /\bSVC_PORT=(\d{4,5})\b/g;

/** Returns the output of each block. */
const runScripts = async (
  place: Workplace,
  scripts: readonly string[],
  { address, before }: { readonly address: string; readonly before: string },
): Promise<string[]> => {
  const script = scripts
    .map((code) => `${code}\nprintf '\\n%s\\n' '${END_OF_BLOCK}'\n`)
    .join('')
    .replaceAll(SHOWN_ADDRESS, address)
    .replaceAll(HOOK, `$& ${UNHURRIED}`);
  const { stdout } = await runFile('bash', ['--norc', '-euo', 'pipefail', '-c', `${END_JOBS}${before}${script}`], {
    cwd: place.folder,
    env: {
      PATH: `${place.path('node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: place.folder,
      npm_config_update_notifier: 'false',
    },
  });
  return stdout.split(END_OF_BLOCK).slice(0, -1);
};

/** A hook gives up after a second or two, which a busy machine may need. */
const HOOK = /\bhook (?:session-start|prompt|session-end)\b/g;
const UNHURRIED = '--timeout-ms 60000';

/** Ends the background programs of a page, also when the page fails. */
const END_JOBS = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n";

const compare = ({ language, code }: Block, output: string): string[] => {
  if (language === 'json') {
    const answer = output.trim().split('\n').at(-1) ?? '';
    return differencesFromShown(JSON.parse(code), JSON.parse(answer === '' ? 'null' : answer));
  }
  if (language !== 'text') return [];
  const lines = output.split('\n').map((line) => line.trim());
  return code
    .trim()
    .split('\n')
    .filter((shown) => !lines.some((line) => fitsShownText(shown.trim(), line)))
    .map((shown) => `no line of the output reads: ${shown}`);
};
