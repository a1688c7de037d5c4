import { join } from 'node:path';

/** The path of each client's files on Linux, relative to the home folder or the project. */
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
  'gemini-cli': { user: ['.gemini/settings.json'], project: ['.gemini/settings.json'] },
  opencode: { user: ['.config/opencode/opencode.json'], project: ['opencode.json'] },
  zed: { user: ['.config/zed/settings.json'], project: ['.zed/settings.json'] },
  'claude-desktop': { user: ['.config/Claude/claude_desktop_config.json'], project: [] },
} as const;

export type ClientName = keyof typeof CLIENT_FILES;

export const CLIENT_NAMES = Object.keys(CLIENT_FILES) as readonly ClientName[];

/** Returns the path of the file in which the client stores its servers. */
export const serverFileOf = (client: ClientName, root: string): string => join(root, CLIENT_FILES[client].user[0]);
