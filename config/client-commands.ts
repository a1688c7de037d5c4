import type { OwnedCommand } from '../adapters/cli/command-line-deps.ts';
import type { PluginCommand } from '../kernel/command-api.ts';
import { conflictsCommand } from '../plugins/conflicts/commands/conflicts-command.ts';
import { resolveCommand } from '../plugins/conflicts/commands/resolve-command.ts';
import { connectCommand } from '../plugins/connect/connect-command.ts';
import { disconnectCommand } from '../plugins/connect/disconnect-command.ts';
import { doctorCommand } from '../plugins/connect/doctor/doctor-command.ts';
import { decayCommand } from '../plugins/decay/decay-command.ts';
import { assertCommand } from '../plugins/facts/commands/assert-command.ts';
import { factCommand } from '../plugins/facts/commands/fact-command.ts';
import { queryCommand } from '../plugins/facts/commands/query-command.ts';
import { jobsCommands } from '../plugins/jobs/jobs-commands.ts';
import { lintCommand } from '../plugins/lint/lint-command.ts';
import { recallCommand } from '../plugins/recall/recall-command.ts';
import { synthesisCommand } from '../plugins/synthesis/synthesis-command.ts';
import { historyCommand } from '../plugins/time-travel/history/history-command.ts';
import { upkeepCommands } from '../plugins/upkeep/upkeep-commands.ts';

const COMMANDS: Readonly<Record<string, readonly PluginCommand[]>> = {
  conflicts: [conflictsCommand, resolveCommand],
  connect: [connectCommand, disconnectCommand, doctorCommand],
  decay: [decayCommand],
  facts: [assertCommand, factCommand, queryCommand],
  jobs: [jobsCommands],
  lint: [lintCommand],
  recall: [recallCommand],
  synthesis: [synthesisCommand],
  'time-travel': [historyCommand],
  upkeep: [upkeepCommands],
};

/** The commands of `CLIENT_WORDS`. They need no node of their own, no word of another plugin and no transport. */
export const CLIENT_COMMANDS: readonly OwnedCommand[] = Object.entries(COMMANDS).flatMap(([plugin, commands]) =>
  commands.map((command) => ({ plugin, enabled: true, command })),
);
