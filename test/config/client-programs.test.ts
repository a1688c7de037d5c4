import { expect } from 'chai';
import type { OwnedCommand } from '../../adapters/cli/command-line-deps.ts';
import { runClientCommand } from '../../adapters/cli/run-client-command.ts';
import { CLIENT_WORDS, chooseProgram } from '../../config/choose-program.ts';
import { CLIENT_COMMANDS } from '../../config/client-commands.ts';
import { loadCommands } from '../../config/load-commands.ts';
import { singleCommands } from '../../kernel/commands/command-definition.ts';
import { hookCommands } from '../../plugins/connect/hooks/hook-commands.ts';
import { mcpCommand } from '../../plugins/mcp/mcp-command.ts';
import { runInProcess } from '../adapters/cli/run-in-process.ts';

const SMALL: readonly OwnedCommand[] = [
  ...CLIENT_COMMANDS,
  { plugin: 'connect', enabled: true, command: hookCommands },
  { plugin: 'mcp', enabled: true, command: mcpCommand },
];

const OTHERS = [
  'recall --url',
  'query --url ftp://x',
  'fact',
  'fact one two',
  'hook',
  'hook help prompt',
  'hook promt',
];
const MORE = ['jobs lst', 'query', 'doctor help', '--version', '-V', '--version recall'];

describe('the bundles of client commands', () => {
  let all: readonly OwnedCommand[];
  before(async () => {
    all = (await loadCommands({ configFile: undefined, env: {} })).commands;
  });

  it('hold the commands of the plugins themselves, and no other plugin shares their names', () => {
    for (const { plugin, command } of SMALL) {
      const named = all.filter((one) => one.command.name === command.name);
      expect(named, command.name).to.deep.equal([{ plugin, enabled: true, command }]);
      expect(named[0]?.command, command.name).to.equal(command);
    }
    expect(CLIENT_COMMANDS.map(({ command }) => command.name).toSorted()).to.deep.equal([...CLIENT_WORDS].toSorted());
  });

  it('hold only commands that open no node', () => {
    const needs = singleCommands(SMALL.map(({ command }) => command)).map(({ command }) => command.needs);
    expect(new Set(needs)).to.deep.equal(new Set(['server', 'nothing']));
  });

  it('run unless the arguments start a node, name a configuration, or name an unknown command', () => {
    expect(chooseProgram(['hook', 'prompt', '--client', 'cursor'])).to.equal('hook');
    expect(chooseProgram(['mcp'])).to.equal('mcp');
    for (const word of [...CLIENT_WORDS, '--version', '-V']) expect(chooseProgram([word]), word).to.equal('client');
    const rest = ['', 'start', '--port', '--help', 'help', 'recal', 'key', 'constructor'].map((word) => [word]);
    const configured = [...CLIENT_WORDS, 'hook', 'mcp'].flatMap((word) => [
      [word, '--config', 'node.json'],
      [word, 'x', '--config=node.json'],
      ['--config', 'node.json', word],
    ]);
    for (const argv of [[], ...rest, ...configured]) expect(chooseProgram(argv), argv.join(' ')).to.equal('program');
  });

  it('give the same output and exit code as the whole program', async () => {
    const small: typeof runInProcess = (argv, deps) =>
      runInProcess(argv, { ...deps, runProgram: (given, made) => runClientCommand(given, SMALL, made) });
    const groups = SMALL.map(({ command }) => command.name);
    const names = singleCommands(SMALL.map(({ command }) => command)).map(({ name }) => name);
    const endings = ['--help', '--jsn'];
    const lines = [...new Set([...groups, ...names])].flatMap((name) => endings.map((ending) => `${name} ${ending}`));
    for (const line of [...lines, ...OTHERS, ...MORE]) {
      const argv = line.split(' ');
      const env = { SVC_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'none' };
      expect(await small(argv, { env }), line).to.deep.equal(await runInProcess(argv, { env }));
    }
  });
});
