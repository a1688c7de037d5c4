import { join } from 'node:path';

/** Where each client keeps its files on Linux, below the home of the user or the project. */
export const CLIENT_FILES = {
  'claude-code': {
    user: ['.claude.json', '.claude/settings.json'],
    project: ['.mcp.json', '.claude/settings.local.json'],
  },
  cursor: { user: ['.cursor/mcp.json', '.cursor/hooks.json'], project: ['.cursor/mcp.json', '.cursor/hooks.json'] },
  vscode: {
    user: ['.config/Code/User/mcp.json', '.copilot/hooks/fact-memory.json'],
    project: ['.vscode/mcp.json', '.github/hooks/fact-memory.json'],
  },
  codex: { user: ['.codex/config.toml', '.codex/hooks.json'], project: ['.codex/config.toml', '.codex/hooks.json'] },
  'claude-desktop': { user: ['.config/Claude/claude_desktop_config.json'], project: [] },
} as const;

export type ClientName = keyof typeof CLIENT_FILES;

export const CLIENT_NAMES = Object.keys(CLIENT_FILES) as readonly ClientName[];

/** The file of the server, which every client has. */
export const serverFileOf = (client: ClientName, root: string): string => join(root, CLIENT_FILES[client].user[0]);
